import { afterAll, expect, test } from "vitest";
import { closePool } from "@/db/client";
import type { NumberedPage } from "@/lib/contract/envelope";
import type { Overview } from "@/lib/contract/overview";
import type { PaymentLink } from "@/lib/contract/payment-links";
import type { PaymentWithPayer } from "@/lib/contract/payments";
import { data, keyCall, newLink, newOffice, type Office, pay, staffCall } from "./setting";

afterAll(closePool);

type Row = PaymentLink | PaymentWithPayer;
type Totals = { currency: string; count: number; amount: number; refunded_amount?: number }[];

/** What the rows of a list come to, added up here. */
async function addedUp(office: Office, noun: string, filters: string): Promise<Totals> {
  const path = `/${noun}?${filters}&page=1&per_page=100`;
  const { data: rows } = data<NumberedPage<Row>>(await keyCall(office, "GET", path));
  const sum = (amounts: number[]) => amounts.reduce((all, amount) => all + amount, 0);
  return [...Map.groupBy(rows, ({ currency }) => currency)]
    .map(([currency, own]) => ({
      currency,
      count: own.length,
      amount: sum(own.map(({ amount }) => amount)),
      ...(noun === "payments"
        ? {
            refunded_amount: sum(
              own.map((row) => ("refunded_amount" in row ? row.refunded_amount : 0)),
            ),
          }
        : {}),
    }))
    .sort((a, b) => (a.currency < b.currency ? -1 : 1));
}

const totalsOf = async (office: Office, noun: string, filters: string): Promise<Totals> =>
  data<Totals>(await keyCall(office, "GET", `/${noun}/totals?${filters}`));

test("totals of a list are the sums of its rows under the same filters, and those of the overview", async () => {
  const office = await newOffice();
  const [museum, zoo] = [await newLink(office, { title: "Museum trip" }), await newLink(office)];
  await newLink(office, { title: "Museum trip", amount: 700, email: "ben@example.com" });
  await newLink(office, { title: "Museum trip", amount: 900, currency: "JPY" });
  await newLink(await newOffice(), { title: "Museum trip" });
  for (const id of [museum, zoo]) await pay(office, id);
  await pay(office, await newLink(office, { amount: 600 }), "decline");
  const [paid] = data<NumberedPage<PaymentWithPayer>>(
    await keyCall(office, "GET", `/payments?payment_link_id=${museum}&page=1`),
  ).data;
  data(await keyCall(office, "POST", `/payments/${paid?._id}/refunds`, { amount: 250 }));

  for (const [noun, filters, currencies] of [
    ["payment-links", "q=museum", 2],
    ["payment-links", "q=mu", 2],
    ["payment-links", "open=true&currency=MYR", 1],
    ["payment-links", "email=ben@example.com&created_from=2026-01-01", 1],
    ["payment-links", "reference=none", 0],
    ["payments", "collected=true", 1],
    ["payments", "status=failed&sort=amount", 1],
    ["payments", "sort=-succeeded_at", 1],
    ["payments", "q=museum", 1],
    ["payments", "q=ana@example.com", 1],
  ] as const) {
    const totals = await totalsOf(office, noun, filters);
    expect([filters, totals.length]).toEqual([filters, currencies]);
    const expected = await addedUp(office, noun, filters);
    expect([filters, totals]).toMatchObject([filters, expected]);
  }

  const { currencies } = data<Overview>(await staffCall(office, "GET", "/overview"));
  const money = currencies.find(({ currency }) => currency === "MYR");
  const [collected] = await totalsOf(office, "payments", "collected=true&currency=MYR");
  expect(collected).toMatchObject({
    count: 2,
    amount: 2_500,
    amount_decimal: "25.00",
    refunded_amount: 250,
    refunded_amount_decimal: "2.50",
  });
  expect([money?.collected_count, money?.collected]).toEqual([2, 2_250]);
  const [all] = await totalsOf(office, "payments", "q=ana@example.com");
  expect(all).toMatchObject({
    count: 3,
    amount: 3_100,
    collected_amount: 2_250,
    collected_amount_decimal: "22.50",
  });
  const [open] = await totalsOf(office, "payment-links", "open=true&currency=MYR");
  expect([open?.count, open?.amount]).toEqual([money?.open_count, money?.open]);
});
