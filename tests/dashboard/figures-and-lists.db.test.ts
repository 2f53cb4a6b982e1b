import { sql } from "drizzle-orm";
import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import { closePool, db, pool } from "@/db/client";
import { momentOfDay } from "@/lib/client/ranges";
import type { NumberedPage } from "@/lib/contract/envelope";
import type { Overview } from "@/lib/contract/overview";
import type { PaymentLink } from "@/lib/contract/payment-links";
import type { PaymentWithPayer } from "@/lib/contract/payments";
import { chargeToken } from "@/lib/contract/tokenizations";
import { paymentAttention } from "@/lib/contract/values";
import { beginOfDay } from "@/db/days";
import { foldCounts } from "@/db/list-counts";
import { unscopedMarkMailed, unscopedMarkOpened } from "@/lib/domain/payment-links/payer-rows";
import { erasePayer } from "@/lib/flows/erasure/steps";
import { defineMailSending } from "@/lib/flows/mailing/job";
import { newId } from "@/lib/kernel/ids";
import type { MailTransport, SendOutcome } from "@/lib/mail/transport";
import { readyPath } from "../contract/fixtures";
import { runAll } from "../run-once";
import {
  data,
  keyCall,
  link,
  mailed,
  newLink,
  newOffice,
  type Office,
  pay,
  staffCall,
} from "./setting";

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
    // It counts after all, so there is nothing to resolve.
    ["succeeded", "{amount_mismatch}"],
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

test("each stage of the links counts exactly the links of its list, in any range and zone, after erasure, deletion and reopening", async () => {
  const office = await newOffice();
  const { ctx } = office.shop;
  const zone = () => fc.sample(fc.constantFrom(...Intl.supportedValuesOf("timeZone")), 1)[0] ?? "";
  const ids: string[] = [];
  const any = (count: number) => fc.sample(fc.nat({ max: count - 1 }), 1)[0] ?? 0;
  for (let number = 0; number < 40; number++) {
    const id = await newLink(office, {
      currency: any(4) ? "MYR" : "JPY",
      email: any(6) ? "ana@example.com" : "gone@example.com",
    });
    ids.push(id);
    // Each stage by chance: no stage needs the one before it.
    if (any(2)) await unscopedMarkMailed(ctx.businessId, id);
    if (any(2)) await unscopedMarkOpened([{ businessId: ctx.businessId, id }]);
    const end = any(7);
    if (end === 0) await pay(office, id);
    if (end === 1) await pay(office, id, "decline");
    if (end === 2) await keyCall(office, "DELETE", `/payment-links/${id}`);
    if (end === 3) {
      await keyCall(office, "POST", `/payment-links/${id}/cancel`);
      await keyCall(office, "POST", `/payment-links/${id}/reopen`);
    }
    if (end === 4)
      data(await staffCall(office, "POST", `/payment-links/${id}/payments`, { method: "cash" }));
    if (end === 5)
      data(await keyCall(office, "PUT", `/payment-links/${id}`, link({ currency: "SGD" })));
    await pool().query("update payment_links set created_at = $2 where id = $1", [
      id,
      new Date(Date.UTC(2026, 9, 24) + any(3 * 24 * 60) * 60_000),
    ]);
  }
  await erasePayer(ctx, "gone@example.com");
  await foldCounts();
  const names = ["created", "mailed", "opened", "tried", "paid"] as const;
  let counted = 0;
  for (let round = 0; round < 6; round++) {
    const timeZone = zone();
    await pool().query("update businesses set time_zone = $1 where id = $2", [
      timeZone,
      office.businessId,
    ]);
    const [from, to] = [any(3), 2 + any(3)].map((day) => `2026-10-${23 + day}`);
    if (!from || !to) throw new Error("no range");
    const { currencies } = data<Overview>(
      await staffCall(office, "GET", `/overview?from=${from}&to=${to}`),
    );
    for (const { currency, links } of currencies) {
      const range = `currency=${currency}&created_from=${momentOfDay(from, false, timeZone)}&created_to=${momentOfDay(to, true, timeZone)}`;
      const lists = await Promise.all(
        names.map((name) =>
          listed(office, `/payment-links?${range}${name === "created" ? "" : `&${name}=true`}`),
        ),
      );
      const lengths = Object.fromEntries(names.map((name, index) => [name, lists[index]?.length]));
      expect([timeZone, from, to, currency, links]).toEqual([
        timeZone,
        from,
        to,
        currency,
        lengths,
      ]);
      counted += links.created;
      const not = await listed(office, `/payment-links?${range}&tried=false`);
      expect(not.length).toBe(links.created - links.tried);
    }
  }
  expect(counted).toBeGreaterThan(0);
}, 120_000);

test("a link counts as mailed once a mail server has accepted a mail that asks for its payment", async () => {
  const office = await newOffice();
  await pool().query("update businesses set time_zone = 'UTC' where id = $1", [office.businessId]);
  // Test mode writes to members alone.
  const sent = await newLink(office, { email: office.email, send_email: true });
  const [kept, refused, receipt] = [
    await newLink(office),
    await newLink(office),
    await newLink(office),
  ];
  await mailed(sent, 1);
  for (const [id, kind] of [
    [kept, "payment_link"],
    [refused, "payment_link"],
    [receipt, "receipt"],
  ] as const)
    await pool().query(
      `insert into mails (business_id, id, mode, kind, cause, object_id, recipient, subject, html, text)
       select business_id, $1, mode, $2, $1, $3, recipient, subject, html, text from mails where object_id = $4`,
      [newId(), kind, id, sent],
    );
  const outcomes: Record<string, SendOutcome> = {
    [kept]: { kind: "kept" },
    [refused]: { kind: "permanent", reason: "No such mailbox." },
  };
  const { rows } = await pool().query<{ id: string; object_id: string }>(
    "select id, object_id from mails where business_id = $1",
    [office.businessId],
  );
  const linkOf = new Map(rows.map((row) => [row.id, row.object_id]));
  const transport: MailTransport = {
    send: ({ messageId }) => {
      const id = /^<([0-9a-f]{24})\./.exec(messageId ?? "")?.[1] ?? "";
      return Promise.resolve(outcomes[linkOf.get(id) ?? ""] ?? { kind: "sent" });
    },
    close: () => undefined,
  };
  await runAll(defineMailSending(transport), office.businessId);
  const { currencies } = data<Overview>(await staffCall(office, "GET", "/overview"));
  expect(currencies.find(({ currency }) => currency === "MYR")?.links).toEqual({
    created: 4,
    mailed: 1,
    opened: 0,
    tried: 0,
    paid: 0,
  });
  const list = await listed<PaymentLink>(office, "/payment-links?mailed=true");
  expect(list.map(({ _id }) => _id)).toEqual([sent]);
});

test.each([
  ["the same, which succeeded", { status: "succeeded" }, 0],
  ["the same, which waits", { status: "pending" }, 0],
  ["the same, whose outcome is unknown", { status: "unknown" }, 0],
  ["the same, which failed too", { status: "failed" }, 1],
  ["the same, which was cancelled", { status: "cancelled" }, 1],
  ["another amount", { amount: 999 }, 1],
  ["another title", { title: "December" }, 1],
  ["another reference", { reference: "R-12" }, 1],
  ["another currency", { currency: "SGD" }, 1],
  ["the same before it", { created_at: new Date(Date.now() - dayMs) }, 1],
] as const)(
  "a failed charge of a saved method and a charge of %s: the failures that need a person",
  async (_, change, count) => {
    const office = await newOffice();
    const ready = async () => (await readyPath(chargeToken, office.shop.ctx)).split("/")[2] ?? "";
    const insert = (row: object) =>
      pool().query(
        `insert into payments (business_id, mode, id, title, reference, gateway, status, amount, currency, tokenization_id, created_at, succeeded_at)
         select $1, 'test', $2, r.title, r.reference, 'simulator', r.status, r.amount, r.currency, r.tokenization_id, r.created_at, case when r.status = 'succeeded' then now() end
         from jsonb_to_record($3::jsonb) as r(title text, reference text, status text, amount int, currency text, tokenization_id text, created_at timestamptz)`,
        [office.businessId, newId(), JSON.stringify(row)],
      );
    const failed = {
      title: "Any",
      reference: null,
      status: "failed",
      amount: 1_000,
      currency: "MYR",
      tokenization_id: await ready(),
      created_at: new Date(Date.now() - 60_000),
    };
    await insert(failed);
    const later = { ...failed, status: "succeeded", created_at: new Date() };
    await insert({ ...later, tokenization_id: await ready() });
    const attention = async () =>
      (await listed<PaymentWithPayer>(office, "/payments?attention=payment_failed")).length;
    expect(await attention()).toBe(1);
    await insert({ ...later, ...change });
    expect(await attention()).toBe(count);
  },
);
