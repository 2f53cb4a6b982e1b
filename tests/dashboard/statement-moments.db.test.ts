import { AsyncLocalStorage } from "node:async_hooks";
import { sql } from "drizzle-orm";
import pg from "pg";
import { afterAll, afterEach, expect, test, vi } from "vitest";
import { closePool, db, pool } from "@/db/client";
import type { NumberedPage } from "@/lib/contract/envelope";
import type { Statement, StatementLine } from "@/lib/contract/statements";
import { paper } from "@/lib/domain/statements/paper";
import { data, keyCall, newLink, newOffice, type Office, pay } from "./setting";

afterAll(closePool);
afterEach(() => vi.restoreAllMocks());

const statementOf = async (office: Office, month: string) =>
  data<Statement>(await keyCall(office, "GET", `/statements/${month}`));
const linesOf = async (office: Office, month: string) =>
  data<NumberedPage<StatementLine>>(
    await keyCall(office, "GET", `/statements/${month}/lines?per_page=100&page=1`),
  ).data;

test("the lines of a statement's PDF are those of its sums, also while a payment is booked", async () => {
  const office = await newOffice();
  await pay(office, await newLink(office, { amount: 5_000 }));
  const late = await newLink(office, { amount: 700 });
  const query = pg.Client.prototype.query as (...asked: unknown[]) => unknown;
  // The read keeps its statements on one connection; the payment has others.
  const apart = AsyncLocalStorage.snapshot();
  let booked: Promise<void> | undefined;
  vi.spyOn(pg.Client.prototype, "query").mockImplementation(async function (
    this: pg.Client,
    ...asked: unknown[]
  ) {
    const [first] = asked as [string | { text?: string }];
    const text = typeof first === "string" ? first : (first.text ?? "");
    if (!booked && /^select .*inner join "payments".* limit/s.test(text))
      await (booked = apart(() => pay(office, late)));
    return Reflect.apply(query, this, asked);
  } as never);
  const month = new Date().toISOString().slice(0, 7);
  const { currencies, lines, total } = await paper(office.shop.ctx, month);
  expect(booked).toBeDefined();
  const sum = lines.reduce((net, line) => net + line.net, 0);
  expect([lines.length, sum]).toEqual([total, currencies[0]?.net]);
  expect(lines.map(({ gross }) => gross)).toEqual([5_000]);
  expect((await paper(office.shop.ctx, month)).lines.length).toBe(2);
});

test("a new time zone moves what was booked around the end of an earlier month, and loses none of it", async () => {
  const office = await newOffice();
  const move = (zone: string) =>
    pool().query("update businesses set time_zone = $1 where id = $2", [zone, office.businessId]);
  await move("Asia/Kuala_Lumpur");
  await pay(office, await newLink(office));
  await db.transaction(async (tx) => {
    await tx.execute(sql`alter table ledger_entries disable trigger user`);
    await tx.execute(
      sql`update ledger_entries set created_at = '2025-10-31T18:00:00Z' where business_id = ${office.businessId}`,
    );
    await tx.execute(sql`alter table ledger_entries enable trigger user`);
  });
  const seen = async () =>
    Promise.all(
      ["2025-10", "2025-11"].map(async (month) => {
        const { currencies } = await statementOf(office, month);
        return [
          (await linesOf(office, month)).length,
          currencies[0]?.opening ?? 0,
          currencies[0]?.closing ?? 0,
        ];
      }),
    );
  const [before, november] = await seen();
  const net = november?.[2];
  expect([before, november]).toEqual([
    [0, 0, 0],
    [1, 0, net],
  ]);
  expect(net).toBeGreaterThan(0);
  await move("Europe/London");
  expect(await seen()).toEqual([
    [1, 0, net],
    [0, net, net],
  ]);
});
