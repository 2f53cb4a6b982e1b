import { sql } from "drizzle-orm";
import { parse } from "csv-parse/sync";
import { expect, it } from "vitest";
import { db } from "@/db/client";
import { ledgerColumns } from "@/lib/domain/ledger/columns";
import { exportHeader } from "@/lib/kernel/local-columns";
import { balance } from "@/lib/domain/ledger/balance";
import { exportCsv } from "@/lib/domain/ledger/export";
import { list } from "@/lib/domain/ledger/list";
import { unscopedLedgerState } from "@/lib/domain/payments/ledger-check-rows";
import { recordManualPayment } from "@/lib/flows/link-change/record-manual";
import { create as refund } from "@/lib/flows/refund/steps";
import { journalOf } from "@/lib/gateways/simulator/scripting";
import { newId } from "@/lib/kernel/ids";
import { assertBooksAgree, newLink, newShop, paidPayment, type Shop } from "./setting";

/** Two payments at the gateway, one by hand, part of each kind given back. */
async function trade(): Promise<Shop> {
  const shop = await newShop();
  const first = await paidPayment(shop, 10_000);
  await paidPayment(shop, 2_500);
  const cash = await recordManualPayment(shop.ctx, (await newLink(shop, 700))._id, {
    method: "cash",
  });
  await refund(shop.ctx, first.id, { amount: 4_000 });
  await refund(shop.ctx, cash._id, { amount: 200 });
  return shop;
}

it("the balance is what came less what went back and what the gateway kept, and the gateway's own journal says the same", async () => {
  const shop = await trade();
  const { currencies } = await balance(shop.ctx, {});
  expect(currencies).toEqual([
    {
      currency: "MYR",
      gross: 13_200,
      refunds: 4_200,
      disputes: 0,
      fees: 250,
      net: 8_750,
      gateway: 8_250,
      manual: 500,
    },
  ]);
  const journal = await journalOf(shop.account.connection.id);
  const truth = journal.reduce(
    (sum, { type, amount, fee }) =>
      sum + (type === "charge" ? amount - fee : type === "refund" ? -amount : 0),
    0,
  );
  expect(currencies[0]?.gateway).toBe(truth);
  await assertBooksAgree(shop);
});

it("a range counts what was booked in it, and another mode or business sees nothing of it", async () => {
  const shop = await trade();
  expect(await balance(shop.ctx, { created_to: "2020-01-01T00:00:00.000000Z" })).toEqual({
    currencies: [],
    other_days: [],
  });
  expect(
    (await balance(shop.ctx, { created_from: "2020-01-01T00:00:00.000000Z" })).currencies[0]?.net,
  ).toBe(8_750);
  expect(await balance(shop.ctx, { currency: "JPY" })).toEqual({ currencies: [], other_days: [] });
  expect(await balance({ ...shop.ctx, mode: "live" }, {})).toEqual({
    currencies: [],
    other_days: [],
  });
  expect(await balance((await newShop()).ctx, {})).toEqual({ currencies: [], other_days: [] });
});

it("the ledger refuses changes, deletions and postings that do not sum to zero", async () => {
  const shop = await trade();
  const { businessId } = shop.ctx;
  const { id: paymentId } = await paidPayment(shop);
  for (const change of [
    sql`update ledger_entries set amount = amount + 1 where business_id = ${businessId}`,
    sql`delete from ledger_entries where business_id = ${businessId}`,
    sql`truncate ledger_entries`,
  ]) {
    await expect(db.execute(change)).rejects.toMatchObject({ cause: { code: "23001" } });
  }
  const book = (sides: Array<[account: string, amount: number, currency: string]>) =>
    db.execute(
      sql`insert into ledger_entries (business_id, mode, id, posting_id, payment_id, kind, account, currency, amount) values ${sql.join(
        sides.map(
          ([account, amount, currency]) =>
            sql`(${businessId}, 'test', ${newId()}, 'odd', ${paymentId}, 'gross', ${account}, ${currency}, ${amount})`,
        ),
        sql`, `,
      )}`,
    );
  await expect(book([["gateway", 100, "MYR"]])).rejects.toMatchObject({ cause: { code: "23514" } });
  await expect(
    book([
      ["gateway", 100, "MYR"],
      ["sales", -99, "MYR"],
    ]),
  ).rejects.toMatchObject({ cause: { code: "23514" } });
  await expect(
    book([
      ["gateway", 100, "MYR"],
      ["sales", -100, "SGD"],
    ]),
  ).rejects.toMatchObject({ cause: { code: "23514" } });
});

it("what an export lists is what the list lists, each side without a sign, and both sides sum to the same", async () => {
  const shop = await trade();
  const text = await new Response(await exportCsv(shop.ctx, { sort: "created_at" })).text();
  const lines = parse(text, { columns: true }) as Array<
    Record<(typeof ledgerColumns)[number], string>
  >;
  expect(Object.keys(lines[0] ?? {})).toEqual(exportHeader(ledgerColumns, "UTC"));
  const listed = await list(shop.ctx, { sort: "created_at", per_page: 100 }, new URLSearchParams());
  expect(lines.map(({ _id, debit, credit }) => [_id, Number(debit) - Number(credit)])).toEqual(
    listed.data.map(({ _id, amount }) => [_id, amount]),
  );
  const total = (side: "debit" | "credit") =>
    lines.reduce((sum, line) => sum + Number(line[side]), 0);
  expect(total("debit")).toBe(total("credit"));
  const refundsOnly = await list(
    shop.ctx,
    { kind: "refund", account: "refunds", per_page: 100 },
    new URLSearchParams(),
  );
  expect(refundsOnly.data.map(({ amount }) => amount).sort()).toEqual([200, 4_000]);
});

it("the list goes by amount too, credits before debits, and is narrowed to a range of amounts", async () => {
  const shop = await trade();
  const amounts: number[] = [];
  for (let cursor: string | undefined, more = true; more; more = cursor !== undefined) {
    const { data, next_cursor: next } = (await list(
      shop.ctx,
      { sort: "amount", per_page: 5, ...(cursor ? { cursor } : {}) },
      new URLSearchParams(),
    )) as { data: Array<{ amount: number }>; next_cursor: string | null };
    amounts.push(...data.map(({ amount }) => amount));
    cursor = next ?? undefined;
  }
  expect(amounts).toHaveLength(14);
  expect(amounts).toEqual([...amounts].sort((one, other) => one - other));
  const some = await list(
    shop.ctx,
    { amount_min: 200, amount_max: 700, sort: "-amount" },
    new URLSearchParams(),
  );
  expect(some.data.map(({ amount }) => amount)).toEqual([700, 200, 200]);
});

it("the operator's check finds a payment that differs from its booking", async () => {
  const shop = await trade();
  const { id } = await paidPayment(shop);
  const before = await unscopedLedgerState(shop.ctx.businessId);
  expect(before).toEqual({ entries: 18, lopsided: 0, disagreeing: 0 });
  await db.execute(sql`update payments set refunded_amount = 1 where id = ${id}`);
  expect((await unscopedLedgerState(shop.ctx.businessId)).disagreeing).toBe(1);
});
