import { expect, test, vi } from "vitest";
import { getPaymentLink } from "@/lib/contract/operations";
import { PaymentLink } from "@/lib/contract/payment-links";
import { answered, drawn } from "@/tests/drawn";
import { LinkDetail } from "./detail";

vi.mock("next/navigation", async () => (await import("@/tests/drawn-at")).navigation);

const example = PaymentLink.parse(PaymentLink.meta()?.examples?.[0]);

function buttonsOf(values: Partial<PaymentLink>): string[] {
  const link = { ...example, status: "Active", expires_at: null, ...values } as PaymentLink;
  const html = drawn(<LinkDetail id={link._id} />, [
    answered(getPaymentLink, { params: { payment_link_id: link._id } }, link),
  ]);
  const names = ["Reopen", "Edit", "Copy payment link", "QR code", "Share", "Open"];
  const at = (name: string) =>
    html.search(new RegExp(`>${name}</(?:button|a)>|row-start-1">${name}</span>`));
  return names.filter((name) => at(name) >= 0).sort((a, b) => at(a) - at(b));
}

test("the page of a link that takes money offers every way to bring it to the payer", () => {
  expect(buttonsOf({})).toEqual(["Edit", "Copy payment link", "QR code", "Share", "Open"]);
});

test.each<[string, Partial<PaymentLink>, string[]]>([
  ["is cancelled", { status: "Cancelled" }, ["Reopen", "Edit", "Open"]],
  ["has expired", { status: "Expired" }, ["Edit", "Open"]],
  ["expires now", { expires_at: "2026-01-01T00:00:00.000000Z" }, ["Edit", "Open"]],
  ["is paid", { status: "Paid", paid: true }, ["Open"]],
])(
  "the page of a link that %s offers nothing that would ask for its payment, and Reopen first where the link can be reopened",
  (_state, values, buttons) => {
    expect(buttonsOf(values)).toEqual(buttons);
  },
);
