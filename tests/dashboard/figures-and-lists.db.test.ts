import { sql } from "drizzle-orm";
import { afterAll, expect, test } from "vitest";
import { closePool, db, pool } from "@/db/client";
import { momentOfDay } from "@/lib/client/ranges";
import type { NumberedPage } from "@/lib/contract/envelope";
import type { Overview } from "@/lib/contract/overview";
import type { PaymentLink } from "@/lib/contract/payment-links";
import type { PaymentWithPayer } from "@/lib/contract/payments";
import { paymentAttention } from "@/lib/contract/values";
import { beginOfDay } from "@/db/days";
import { newId } from "@/lib/kernel/ids";
import { data, keyCall, newLink, newOffice, type Office, pay, staffCall } from "./setting";

afterAll(closePool);

const dayMs = 86_400_000;
const iso = (moment: number) => new Date(moment).toISOString().slice(0, 10);
const days = (from: string, count: number) =>
  Array.from({ length: count }, (_, index) => iso(Date.parse(from) + index * dayMs));

/** What the clocks of a zone show at a moment, by this process's rules. */
const clockOf = (timeZone: string) =>
  new Intl.DateTimeFormat("sv-SE", { timeZone, dateStyle: "short", timeStyle: "medium" });

test("the browser and the database begin every day of every zone at the same moment, also where clocks change", async () => {
  let compared = 0;
  for (const zone of Intl.supportedValuesOf("timeZone")) {
    const { rows } = await db.execute<{ day: string; begins: string; shown: string }>(sql`
      select day::date::text as day, to_char(${beginOfDay(sql`day`, zone)} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as begins,
        to_char(day at time zone 'UTC' at time zone ${zone}, 'YYYY-MM-DD HH24:MI:SS') as shown
      from generate_series('2025-01-01'::timestamp, '2026-12-31'::timestamp, interval '1 day') day`);
    const clock = clockOf(zone);
    // Laws of this year: one of the two programs may be older than they are.
    const known = rows.findIndex(({ day, shown }) => shown !== clock.format(Date.parse(day)));
    const agreed = rows.slice(0, known < 0 ? undefined : known - 1);
    const differ = agreed.filter(({ day, begins }) => momentOfDay(day, false, zone) !== begins);
    expect([zone, differ]).toEqual([zone, []]);
    compared += agreed.length;
  }
  expect(compared).toBeGreaterThan(250_000);
}, 120_000);

/** A payment as if made at a moment, with what was refunded of it. */
const insertPayment = (
  office: Office,
  status: string,
  at: { created: number; succeeded: number | null },
  amount: number,
  refunded: number,
  flags = "{}",
) =>
  pool().query(
    `insert into payments (business_id, mode, id, status, amount, currency, refunded_amount, title, gateway, created_at, succeeded_at, flags)
     values ($1, 'test', $2, $3, $4, 'MYR', $5, 'Any', 'simulator', $6, $7, $8)`,
    [
      office.businessId,
      newId(),
      status,
      amount,
      refunded,
      new Date(at.created),
      at.succeeded === null ? null : new Date(at.succeeded),
      flags,
    ],
  );

const listed = async <Row>(office: Office, path: string): Promise<Row[]> => {
  const rows: Row[] = [];
  for (let page = 1, last = 1; page <= last; page++) {
    const answer = data<NumberedPage<Row>>(
      await keyCall(office, "GET", `${path}&per_page=100&page=${page}`),
    );
    rows.push(...answer.data);
    last = answer.last_page;
    expect(answer.total).toBeGreaterThanOrEqual(rows.length);
  }
  return rows;
};
const sum = (amounts: number[]) => amounts.reduce((all, amount) => all + amount, 0);

test.each([
  // The ranges hold a change of the clocks each.
  ["America/Los_Angeles", "2026-03-06", 5],
  ["Africa/Cairo", "2026-04-22", 4],
  ["America/Havana", "2026-10-30", 4],
  ["Australia/Lord_Howe", "2026-04-03", 4],
  ["Asia/Kuala_Lumpur", "2026-11-20", 3],
])(
  "in %s each day's figure counts and sums exactly the rows of its list",
  async (zone, first, count) => {
    const office = await newOffice();
    await pool().query("update businesses set time_zone = $1 where id = $2", [
      zone,
      office.businessId,
    ]);
    const all = days(first, count);
    const states = [
      ["succeeded", 0],
      ["partially_refunded", 250],
      ["refunded", 1_000],
      ["disputed", 0],
      ["failed", 0],
      ["pending", 0],
    ] as const;
    // At both sides of each midnight, and once within.
    for (const [index, moment] of all
      .flatMap((day) => {
        const begin = Date.parse(momentOfDay(day, false, zone));
        return [begin - 1, begin, begin + 40_000_000];
      })
      .entries()) {
      const [status, refunded] = states[index % states.length] ?? states[0];
      const paid = !["failed", "pending"].includes(status);
      const created = index % 2 ? moment : moment - 3_600_000;
      await insertPayment(
        office,
        status,
        { created: paid ? created : moment, succeeded: paid ? moment : null },
        1_000,
        refunded,
      );
    }
    for (let from = 0; from < all.length; from++)
      for (let to = from; to < all.length; to++) {
        const [a, b] = [all[from] ?? "", all[to] ?? ""];
        const overview = data<Overview>(
          await staffCall(office, "GET", `/overview?from=${a}&to=${b}`),
        );
        const money = overview.currencies.find(({ currency }) => currency === "MYR");
        const range = (of: string) =>
          `currency=MYR&${of}_from=${momentOfDay(a, false, zone)}&${of}_to=${momentOfDay(b, true, zone)}`;
        const collected = await listed<PaymentWithPayer>(
          office,
          `/payments?collected=true&${range("succeeded")}`,
        );
        const failed = await listed<PaymentWithPayer>(
          office,
          `/payments?status=failed&${range("created")}`,
        );
        expect([a, b, money]).toMatchObject([
          a,
          b,
          {
            collected_count: collected.length,
            collected: sum(
              collected.map(({ amount, refunded_amount }) => amount - refunded_amount),
            ),
            failed_count: failed.length,
            failed: sum(failed.map(({ amount }) => amount)),
          },
        ]);
      }
    const most = await listed(office, "/payments?collected=true");
    const least = await listed(office, "/payments?collected=false");
    expect([most.length, least.length].map((length) => length > 0)).toEqual([true, true]);
  },
);

test("open links and what needs attention are listed as they are counted", async () => {
  const office = await newOffice();
  const [paid, declined] = [await newLink(office), await newLink(office, { amount: 700 })];
  await pay(office, paid);
  await pay(office, declined, "decline");
  await newLink(office, { currency: "JPY" });
  const processing = await newLink(office, { amount: 900 });
  await pool().query("update payment_links set status = 'Processing' where id = $1", [processing]);
  const now = Date.now();
  for (const [status, flags] of [
    ["failed", "{}"],
    ["failed", "{late}"],
    ["unknown", "{}"],
    ["unknown", "{amount_mismatch}"],
    ["succeeded", "{duplicate}"],
    ["partially_refunded", "{duplicate}"],
    ["refunded", "{duplicate}"],
    ["succeeded", "{late}"],
  ] as const) {
    const succeeded = ["failed", "unknown"].includes(status) ? null : now;
    await insertPayment(office, status, { created: now, succeeded }, 1_000, 0, flags);
  }
  await insertPayment(office, "failed", { created: now - 31 * dayMs, succeeded: null }, 1_000, 0);
  const overview = data<Overview>(await staffCall(office, "GET", "/overview"));
  const counts = Object.fromEntries(overview.attention.map(({ kind, count }) => [kind, count]));
  expect(counts).toEqual({
    payment_failed: 2,
    payment_unknown: 1,
    payment_mismatch: 1,
    payment_duplicate: 2,
    payment_late: 1,
  });
  for (const kind of paymentAttention)
    expect([kind, (await listed(office, `/payments?attention=${kind}`)).length]).toEqual([
      kind,
      counts[kind],
    ]);
  for (const { currency, open, open_count } of overview.currencies) {
    const rows = await listed<PaymentLink>(office, `/payment-links?open=true&currency=${currency}`);
    expect([currency, rows.length, sum(rows.map(({ amount }) => amount))]).toEqual([
      currency,
      open_count,
      open,
    ]);
  }
  expect(sum(overview.currencies.map(({ open_count }) => open_count))).toBe(3);
});
