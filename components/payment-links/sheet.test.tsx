import { expect, test, vi } from "vitest";
import { qrSvg } from "@/components/payer/qr";
import { listQuery } from "@/lib/client/list-query";
import { listPaymentLinks } from "@/lib/contract/operations";
import { PaymentLink } from "@/lib/contract/payment-links";
import { answered, drawn, failed } from "@/tests/drawn";
import { LinkSheet } from "./sheet";

vi.mock("next/navigation", async () => (await import("@/tests/drawn-at")).navigation);

const example = PaymentLink.parse(PaymentLink.meta()?.examples?.[0]);
const links = Array.from({ length: 48 }, (_, index) => ({
  ...example,
  _id: `6740f1c09a3be27d51c8e5${String(index).padStart(2, "0")}`,
  status: "Active" as const,
  payment_url: `${example.payment_url}&code=${index}`,
}));
const input = { query: { ...listQuery({}, {}), per_page: 48 } };
const page = { data: links, total: 48, last_page: 1 };

const picturesOf = (html: string) =>
  [...html.matchAll(/<img[^>]* src="([^"]+)"/g)].map(([, source = ""]) => source);
const printOf = (html: string) => /<button[^>]*>(?:(?!<button).)*Print<\/button>/.exec(html)?.[0];

test("the codes of a full sheet are drawn on the page, without a call that could be refused, and lead to the payment pages", () => {
  const html = drawn(<LinkSheet />, [answered(listPaymentLinks, input, page)]);
  expect(picturesOf(html).map((source) => decodeURIComponent(source))).toEqual(
    links.map(({ payment_url }) => `data:image/svg+xml,${qrSvg(payment_url)}`),
  );
});

test("Print is offered only once there are codes to print", () => {
  const off = 'aria-disabled="true"';
  const none = { ...page, data: [{ ...example, status: "Paid" as const }] };
  for (const answers of [
    [],
    [failed(listPaymentLinks, input)],
    [answered(listPaymentLinks, input, none)],
  ])
    expect(printOf(drawn(<LinkSheet />, answers))).toContain(off);
  const html = drawn(<LinkSheet />, [answered(listPaymentLinks, input, page)]);
  expect(printOf(html)).not.toContain(off);
});

test("a sheet that is shown stays when it cannot be read again", () => {
  const html = drawn(<LinkSheet />, [answered(listPaymentLinks, input, page, true)]);
  expect(picturesOf(html)).toHaveLength(48);
});
