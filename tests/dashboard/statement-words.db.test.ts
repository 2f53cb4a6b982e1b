import { afterAll, expect, test } from "vitest";
import { closePool, pool } from "@/db/client";
import { statementPdf } from "@/lib/compute/statement";
import type { StatementLine } from "@/lib/contract/statements";
import { settle } from "@/lib/domain/payments/settle";
import { paper } from "@/lib/domain/statements/paper";
import { recordManualPayment } from "@/lib/flows/link-change/record-manual";
import { pdfText } from "../../e2e/pdf-text";
import { runningBillplz } from "../billplz-peer/running";
import { newBillLink, newBillplzShop, paidAtBillplz } from "../money/billplz-setting";
import { bearer, data, file, keyCall, newLink, newOffice, pay } from "./setting";

const peer = runningBillplz();

afterAll(closePool);

/** A statement of one payment with a fee in another currency, as lines and as the text of its PDF. */
async function statement() {
  const office = await newOffice();
  await pay(office, await newLink(office, { amount: 12_550 }));
  const client = await pool().connect();
  try {
    await client.query("begin");
    await client.query("alter table ledger_entries disable trigger user");
    await client.query(
      "update ledger_entries set currency = 'USD' where business_id = $1 and kind = 'fee'",
      [office.businessId],
    );
    await client.query("alter table ledger_entries enable trigger user");
    await client.query("commit");
  } finally {
    client.release();
  }
  const path = `/statements/${new Date().toISOString().slice(0, 7)}`;
  const { data: lines } = data<{ data: StatementLine[] }>(
    await keyCall(office, "GET", `${path}/lines`),
  );
  const pdf = await file(`${path}/pdf`, bearer(office.key));
  return { lines, text: pdfText(Buffer.from(await pdf.arrayBuffer())).replaceAll(/\s/g, "") };
}

test("a fee in another currency than its payment has a line, which is not called an earlier payment's", async () => {
  const { lines, text } = await statement();
  // Both were booked at the same moment, so either may be first.
  expect(lines.sort((a, b) => a.kind.localeCompare(b.kind))).toMatchObject([
    { kind: "fee", currency: "USD", fees: 251, net: -251 },
    { kind: "payment", currency: "MYR", fees: 0, net: 12_550 },
  ]);
  expect(text).toContain("Feebookedseparately·ana@example.com");
  expect(text).not.toContain("earlierpayment");
});

test("sums and lines of the PDF say that their column holds refunds and disputes", async () => {
  const { text } = await statement();
  expect(text).toContain("OpeningGrossRefundsanddisputesFeesNetClosing");
  expect(text).toContain("PayerandtitleGrossRefundsanddisputesFeesNet");
});

test("a statement says for how much of its payments the provider has stated no fee", async () => {
  const shop = await newBillplzShop(peer);
  const fees = async (payment: string, fee: number) =>
    settle(shop.ctx, payment, {
      ...{ kind: "succeeded", gatewayId: "", amount: 1_250, currency: "MYR" },
      fee,
    });
  const [{ id }] = [await paidAtBillplz(shop), await paidAtBillplz(shop)];
  await fees(id, 25);
  const byHand = await newBillLink(shop.ctx, 700);
  await recordManualPayment(shop.ctx, byHand, { method: "cash" });
  const month = new Date().toISOString().slice(0, 7);
  const content = await paper(shop.ctx, month);
  expect(content.currencies).toMatchObject([{ gross: 3_200, fees: 25, without_fee: 1_250 }]);
  expect(pdfText(Buffer.from(await statementPdf(content))).replaceAll(/\s+/g, " ")).toContain(
    "The payment provider has stated no fee for MYR 12.50 of the payments.",
  );
});
