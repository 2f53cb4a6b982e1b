import { parse } from "csv-parse/sync";
import { afterAll, expect, test } from "vitest";
import { GET as payPage } from "@/app/(payer)/pay/route";
import { GET as thankYou } from "@/app/(payer)/thank-you/route";
import { closePool, db } from "@/db/client";
import type { PaymentWithPayer } from "@/lib/contract/payments";
import type { StatementLine } from "@/lib/contract/statements";
import { findLink } from "@/lib/domain/payment-links/rows";
import { receiptAddress, receiptKey } from "@/lib/domain/payments/receipt-address";
import { findPayment } from "@/lib/domain/payments/rows";
import { settle } from "@/lib/domain/payments/settle";
import { GET as receipt } from "@/app/(payer)/receipt/[receipt]/route";
import { pdfText } from "../../e2e/pdf-text";
import { payLate } from "../money/late-payment";
import { press } from "../money/setting-verbs";
import { bearer, data, file, keyCall, link, newLink, newOffice, type Office } from "./setting";

afterAll(closePool);

const first = { amount: 1_000, title: "Invoice 1", reference: "INV-1", reference_2: "PO-1" };
const second = { title: "Invoice 2", reference: "INV-2", reference_2: "PO-2" };
const [was, is] = [
  ["Invoice 1", "INV-1"],
  ["Invoice 2", "INV-2", "PO-2"],
];

const edit = async (office: Office, id: string, values: object) =>
  data(await keyCall(office, "PUT", `/payment-links/${id}`, link({ ...first, ...values })));

async function page(answer: Response | Promise<Response>): Promise<string> {
  const shown = await answer;
  expect(shown.status).toBe(200);
  return shown.text();
}

async function receiptText(id: string, reader: "page" | "payer" = "page"): Promise<string> {
  const address = receiptAddress(await receiptKey(db), id, reader);
  const params = Promise.resolve({ receipt: address.split("/").at(-1) ?? "" });
  const answer = await receipt(new Request(address), { params });
  return pdfText(Buffer.from(await answer.arrayBuffer()));
}

const thanks = (id: string) =>
  page(thankYou(new Request(`http://localhost:3000/thank-you?payment_id=${id}`), {}));

function expectPaid(text: string): void {
  for (const part of was) expect(text).toContain(part);
  for (const part of is) expect(text).not.toContain(part);
}

test("a line of a statement has the reference that its payment has, whatever the link asks for since", async () => {
  const office = await newOffice();
  for (const reference of ["INV-1", undefined]) {
    const id = await newLink(office, { ...first, reference });
    await payLate(office.shop.ctx, id, () => edit(office, id, { ...second, amount: 2_000 }));
    const [payment] = data<{ data: PaymentWithPayer[] }>(
      await keyCall(office, "GET", `/payments?payment_link_id=${id}`),
    ).data;
    const month = new Date().toISOString().slice(0, 7);
    const lines = data<{ data: StatementLine[] }>(
      await keyCall(office, "GET", `/statements/${month}/lines`),
    ).data;
    expect(payment).toMatchObject({ title: "Invoice 1", reference: reference ?? null });
    expect(lines.find((line) => line.payment_id === payment?._id)).toMatchObject({
      title: "Invoice 1",
      reference: reference ?? null,
    });
    const csv = await (await file(`/statements/${month}/export`, bearer(office.key))).text();
    const rows = parse<Record<string, string>>(csv, { columns: true });
    expect(rows.find((row) => row.payment_id === payment?._id)?.reference).toBe(reference ?? "");
  }
});

test("the thank-you page and the receipt of late money say what was paid, not what the link asks for since", async () => {
  const office = await newOffice();
  const id = await newLink(office, first);
  const payment = await payLate(office.shop.ctx, id, () =>
    edit(office, id, { ...second, amount: 2_000 }),
  );
  expectPaid(await thanks(payment));
  expectPaid(await receiptText(payment));
  expect(await receiptText(payment, "payer")).toContain("ana@example.com");
});

test("the receipt of late money names no payer whom the link got since", async () => {
  const office = await newOffice();
  const id = await newLink(office, first);
  const payment = await payLate(office.shop.ctx, id, () =>
    edit(office, id, { ...second, amount: 2_000, email: "bo@example.org" }),
  );
  for (const reader of ["page", "payer"] as const) {
    const text = await receiptText(payment, reader);
    expectPaid(text);
    expect(text).not.toContain("example.org");
  }
});

test("the page of a paid link says what was paid, as the receipt that it leads to", async () => {
  const office = await newOffice();
  const id = await newLink(office, first);
  const { ctx } = office.shop;
  await press(ctx, id);
  const payment = (await findLink(ctx, id))?.openPaymentId ?? "";
  await edit(office, id, second);
  const { amount, currency, gatewayId } = (await findPayment(ctx, payment)) ?? {};
  await settle(ctx, payment, {
    kind: "succeeded",
    gatewayId: gatewayId ?? "",
    amount: amount ?? 0,
    currency: currency ?? "",
    fee: 0,
  });
  expect((await findLink(ctx, id))?.status).toBe("Paid");
  expectPaid(await page(payPage(new Request(`http://localhost:3000/pay?id=${id}&test=true`), {})));
  expectPaid(await receiptText(payment));
});
