import { afterAll, expect, test } from "vitest";
import { closePool, pool } from "@/db/client";
import type { StatementLine } from "@/lib/contract/statements";
import { pdfText } from "../../e2e/pdf-text";
import { bearer, data, file, keyCall, newLink, newOffice, pay } from "./setting";

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
