import fc from "fast-check";
import { eq, sql } from "drizzle-orm";
import pg from "pg";
import { afterAll, beforeEach, expect, test, vi } from "vitest";
import { closePool, db } from "@/db/client";
import { testClocks } from "@/db/schema/test-clocks";
import type { PaymentLinkCreate } from "@/lib/contract/payment-links";
import type { Reminder } from "@/lib/contract/reminders";
import { cancel, reopen } from "@/lib/domain/payment-links/cancel";
import { get as getBusiness } from "@/lib/domain/businesses/manage";
import { create } from "@/lib/domain/payment-links/create";
import { get } from "@/lib/domain/payment-links/get";
import { list } from "@/lib/domain/payment-links/list";
import { update } from "@/lib/domain/payment-links/update";
import { unscopedPayerLink } from "@/lib/domain/payment-links/payer-rows";
import { updateBusiness } from "@/lib/flows/business-change/steps";
import { begin } from "@/lib/flows/checkout/steps";
import { advances } from "@/lib/flows/clock-advance/job";
import { removeClock, startAdvance } from "@/lib/flows/clock-advance/steps";
import { linkExpiry } from "@/lib/flows/expiry/job";
import { recordManualPayment } from "@/lib/flows/link-change/record-manual";
import { defineMailSending } from "@/lib/flows/mailing/job";
import { linkReminders } from "@/lib/flows/reminders/job";
import { isoMicros } from "@/lib/kernel/clock";
import { newShop, type Shop } from "../money/setting";
import { advanceTo, newClock } from "../money/subscription-setting";
import { runAll, runOnce } from "../run-once";
import { someStaff } from "../staff/person";

afterAll(closePool);

const input = { email: "ana@example.com", currency: "MYR", amount: 1_250, title: "Trip" };
const micros = (moment: string) => `${moment.slice(0, 19)}.000000Z`;
const start = "2027-03-01T12:00:00";

let shop: Shop;
beforeEach(async () => {
  shop = await newShop();
});

const inZone = (zone: string, of = shop) =>
  db.execute(sql`update businesses set time_zone = ${zone} where id = ${of.ctx.businessId}`);
const linkAt = async (clock: string, more: Partial<PaymentLinkCreate> = {}, of = shop) =>
  (await create(of.ctx, { ...input, send_email: false, test_clock_id: clock, ...more }))._id;
const every = (...days: number[]) =>
  days.map((day) => ({ days: day, relative_to: "created_at" as const }));
/** The moments of a link's reminders, by the clock. */
async function remindedAt(id: string): Promise<string[]> {
  const { rows } = await db.execute<{ at: string }>(
    sql`select created_at as at from mails where object_id = ${id} and kind = 'payment_reminder' order by created_at`,
  );
  return rows.map(({ at }) => isoMicros(at));
}

/** Nine in the morning of a day in a zone, found by trying. */
function morning(day: string, zone: string): number {
  const shown = (at: number) =>
    new Intl.DateTimeFormat("sv-SE", {
      timeZone: zone,
      dateStyle: "short",
      timeStyle: "medium",
    }).format(at);
  for (let quarters = -60; quarters <= 60; quarters++) {
    const at = Date.parse(`${day}T09:00:00Z`) + quarters * 900_000;
    if (shown(at) === `${day} 09:00:00`) return at;
  }
  throw new Error(`no morning of ${day} in ${zone}`);
}
const dayIn = (at: number, zone: string) =>
  new Intl.DateTimeFormat("sv-SE", { timeZone: zone, dateStyle: "short" }).format(at);

const DAY_MS = 86_400_000;

test("advances send every reminder of the days that pass, once and in order, at nine in the zone, and none after the expiry", async () => {
  const zones = ["America/New_York", "Europe/Berlin", "Australia/Lord_Howe", "Asia/Kathmandu"];
  const cases = fc.sample(
    fc.record({
      zone: fc.constantFrom(...zones),
      // Around both changes of summer time.
      began: fc.constantFrom("2027-03-10T03:00:00", "2027-03-26T20:30:00", "2027-10-25T23:59:59"),
      created: fc.uniqueArray(fc.integer({ min: 1, max: 20 }), { maxLength: 3 }),
      dueIn: fc.integer({ min: 0, max: 15 }),
      due: fc.uniqueArray(fc.integer({ min: -10, max: 10 }), { maxLength: 3 }),
      expiresIn: fc.option(fc.integer({ min: 16, max: 30 })),
      steps: fc.array(fc.integer({ min: 1, max: 200 }), { minLength: 1, maxLength: 4 }),
    }),
    12,
  );
  for (const { zone, began, created, dueIn, due, expiresIn, steps } of cases) {
    await inZone(zone);
    const from = Date.parse(`${began}Z`);
    const dueAt = from + dueIn * DAY_MS;
    const expiry = expiresIn === null ? Number.POSITIVE_INFINITY : from + expiresIn * DAY_MS;
    const clock = await newClock(shop, began);
    const id = await linkAt(clock, {
      reminders: [
        ...every(...created),
        ...due.map((days) => ({ days, relative_to: "due_at" as const })),
      ],
      due_at: micros(new Date(dueAt).toISOString()),
      ...(expiresIn === null ? {} : { expires_at: micros(new Date(expiry).toISOString()) }),
    });
    let now = from;
    for (const hours of steps) {
      now += hours * 3_600_000;
      await advanceTo(shop, clock, new Date(now).toISOString());
      const mornings = [
        ...created.map((days) => [from, days] as const),
        ...due.map((days) => [dueAt, days] as const),
      ].map(([base, days]) => {
        const day = Date.parse(`${dayIn(base, zone)}T00:00:00Z`) + days * DAY_MS;
        return morning(new Date(day).toISOString().slice(0, 10), zone);
      });
      const expected = [...new Set(mornings)]
        .filter((at) => at > from && at <= now && at < expiry)
        .sort((a, b) => a - b)
        .map((at) => micros(new Date(at).toISOString()));
      expect([zone, began, await remindedAt(id)]).toEqual([zone, began, expected]);
      const link = await get(shop.ctx, id);
      expect(link.status).toBe(now >= expiry ? "Expired" : "Active");
      expect(link.overdue).toBe(now >= dueAt && now < expiry);
    }
  }
}, 120_000);

test("a link that is paid between two advances, and one that is cancelled, remind nobody any more; a payment counts as of the clock", async () => {
  await inZone("UTC");
  const clock = await newClock(shop, start);
  const ids = await Promise.all([1, 2, 3].map(() => linkAt(clock, { reminders: every(1, 5) })));
  const [paid, cancelled, open] = ids as [string, string, string];
  await advanceTo(shop, clock, "2027-03-03T00:00:00");
  await recordManualPayment(shop.ctx, paid, { method: "cash" });
  await cancel(shop.ctx, cancelled);
  await advanceTo(shop, clock, "2027-04-01T00:00:00");
  const first = micros("2027-03-02T09:00:00");
  const second = micros("2027-03-06T09:00:00");
  expect(await Promise.all(ids.map(remindedAt))).toEqual([[first], [first], [first, second]]);
  expect((await get(shop.ctx, paid)).paid_at).toBe(micros("2027-03-03T00:00:00"));
  expect(await get(shop.ctx, open)).toMatchObject({ status: "Active", test_clock_id: clock });
});

test("of two advances at once one is refused, and each reminder is sent once by several workers", async () => {
  await inZone("UTC");
  const clock = await newClock(shop, start);
  const ids = await Promise.all([1, 2].map(() => linkAt(clock, { reminders: every(1, 2, 3) })));
  const to = micros("2027-03-10T00:00:00");
  const started = await Promise.allSettled([1, 2].map(() => startAdvance(shop.ctx, clock, to)));
  expect(started.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
  await Promise.all([1, 2, 3].map(() => runOnce(advances, shop.ctx.businessId)));
  await advanceTo(shop, clock, to);
  for (const id of ids)
    expect(await remindedAt(id)).toEqual(
      ["02", "03", "04"].map((day) => micros(`2027-03-${day}T09:00:00`)),
    );
});

test("an advance that is killed as it commits a reminder sends it once afterwards", async () => {
  await inZone("UTC");
  const clock = await newClock(shop, start);
  const id = await linkAt(clock, { reminders: every(1, 2) });
  await startAdvance(shop.ctx, clock, micros("2027-03-10T00:00:00"));
  const real = pg.Client.prototype.query;
  let mailed = false;
  const broken = vi.spyOn(pg.Client.prototype, "query").mockImplementation(function (
    this: pg.Client,
    ...args: unknown[]
  ) {
    const [what] = args as [string | { text: string }];
    const text = (typeof what === "string" ? what : what.text).toLowerCase();
    mailed ||= text.includes('insert into "mails"');
    if (text === "commit" && mailed) throw new Error("killed");
    return Reflect.apply(real, this, args);
  } as never);
  await runOnce(advances, shop.ctx.businessId)
    .catch(() => undefined)
    .finally(() => broken.mockRestore());
  expect(mailed).toBe(true);
  expect(await remindedAt(id)).toEqual([]);
  await db
    .update(testClocks)
    .set({ leasedUntil: null, nextSliceAt: sql`now()` })
    .where(eq(testClocks.id, clock));
  await runAll(advances, shop.ctx.businessId);
  expect(await remindedAt(id)).toEqual([
    micros("2027-03-02T09:00:00"),
    micros("2027-03-03T09:00:00"),
  ]);
});

test("the jobs of the real clock leave links under a test clock alone, and the clock leaves others alone", async () => {
  await inZone("UTC");
  const clock = await newClock(shop, "2020-01-01T12:00:00");
  const past = await linkAt(clock, {
    reminders: every(1),
    due_at: "2020-01-05T00:00:00.000000Z",
    expires_at: "2020-02-01T00:00:00.000000Z",
  });
  const real = (await create(shop.ctx, { ...input, reminders: every(1) }))._id;
  await runAll(linkReminders, shop.ctx.businessId);
  await runAll(linkExpiry, shop.ctx.businessId);
  // No worker has claimed it.
  const { rows } = await db.execute(sql`select fence::int from payment_links where id = ${past}`);
  expect(rows).toEqual([{ fence: 0 }]);
  expect(await remindedAt(past)).toEqual([]);
  expect(await get(shop.ctx, past)).toMatchObject({ status: "Active", overdue: false });
  expect((await unscopedPayerLink(past))?.over).toBe(false);
  expect((await begin({ ...shop.ctx, actor: { kind: "payer" } }, past, 1)).kind).toBe("redirect");
  await advanceTo(shop, clock, "2099-01-01T00:00:00");
  expect(await remindedAt(real)).toEqual([]);
});

test("a payer at the gateway holds the reminder and the expiry back; an advance to the same moment makes up for the expiry", async () => {
  await inZone("UTC");
  const clock = await newClock(shop, start);
  const id = await linkAt(clock, {
    reminders: every(1),
    expires_at: "2027-03-05T00:00:00.000000Z",
  });
  await begin({ ...shop.ctx, actor: { kind: "payer" } }, id, 1);
  await advanceTo(shop, clock, "2027-03-06T00:00:00");
  expect(await remindedAt(id)).toEqual([]);
  expect((await get(shop.ctx, id)).status).toBe("Active");
  expect((await unscopedPayerLink(id))?.over).toBe(true);
  await db.execute(sql`update payment_links set open_payment_id = null where id = ${id}`);
  await advanceTo(shop, clock, "2027-03-06T00:00:00");
  expect((await get(shop.ctx, id)).status).toBe("Expired");
  expect(await remindedAt(id)).toEqual([]);
});

test("an edit counts by the link's clock: an expiry is to come by it, and reminders of mornings that passed are not sent", async () => {
  await inZone("UTC");
  const clock = await newClock(shop, "2020-01-01T12:00:00");
  const id = await linkAt(clock);
  await expect(
    update(shop.ctx, id, { ...input, expires_at: "2019-12-31T00:00:00Z" } as never),
  ).rejects.toMatchObject({ status: 422 });
  await advanceTo(shop, clock, "2020-01-10T00:00:00");
  const edited = await update(shop.ctx, id, {
    ...input,
    expires_at: "2020-03-01T00:00:00.000000Z",
    due_at: "2020-01-05T00:00:00.000000Z",
    reminders: every(1, 20),
  } as never);
  expect(edited).toMatchObject({
    overdue: true,
    test_clock_id: clock,
    updated_at: micros("2020-01-10T00:00:00"),
  });
  await cancel(shop.ctx, id);
  await reopen(shop.ctx, id);
  await advanceTo(shop, clock, "2020-02-01T00:00:00");
  expect(await remindedAt(id)).toEqual([micros("2020-01-21T09:00:00")]);
});

test("the list filters by clock and by what is overdue by it", async () => {
  const own = await newShop();
  const clock = await newClock(own, start);
  const [late] = await Promise.all([
    linkAt(clock, { due_at: "2027-03-02T00:00:00.000000Z" }, own),
    linkAt(clock, { due_at: "2027-06-02T00:00:00.000000Z" }, own),
    create(own.ctx, { ...input, send_email: false, due_at: "2027-03-02T00:00:00.000000Z" }),
  ]);
  const found = async (query: object) =>
    (await list(own.ctx, query as never, new URLSearchParams())).data.map(({ _id }) => _id);
  expect(await found({ overdue: true })).toEqual([]);
  await advanceTo(own, clock, "2027-03-03T00:00:00");
  expect(await found({ overdue: true })).toEqual([late]);
  expect(await found({ overdue: false })).toHaveLength(2);
  expect(await found({ test_clock_id: clock })).toHaveLength(2);
});

test("a clock of another business, one of live mode and a deleted one are refused, and a deleted clock cancels its open links", async () => {
  const other = await newShop();
  const clock = await newClock(shop, start);
  const refused = { status: 422, options: { errors: { test_clock_id: [expect.any(String)] } } };
  await expect(linkAt(clock, {}, other)).rejects.toMatchObject(refused);
  await expect(
    create({ ...shop.ctx, mode: "live" }, { ...input, test_clock_id: clock }),
  ).rejects.toMatchObject({ status: 422 });
  const [open, paid] = [await linkAt(clock, { reminders: every(1) }), await linkAt(clock)];
  await recordManualPayment(shop.ctx, paid, { method: "cash" });
  await removeClock(shop.ctx, clock);
  expect((await get(shop.ctx, open)).status).toBe("Cancelled");
  expect((await get(shop.ctx, paid)).status).toBe("Paid");
  await expect(linkAt(clock)).rejects.toMatchObject(refused);
});

test("a reminder is sent although the same advance has gone past the expiry, and not once its link is paid", async () => {
  const staff = await someStaff();
  const office: Shop = { ...shop, ctx: { ...shop.ctx, businessId: staff.businessId as never } };
  await inZone("UTC", office);
  const clock = await newClock(office, start);
  const link = () =>
    linkAt(
      clock,
      {
        email: staff.email,
        reminders: every(1),
        expires_at: "2027-03-20T00:00:00.000000Z",
      },
      office,
    );
  const [expired, paid] = [await link(), await link()];
  await advanceTo(office, clock, "2027-03-10T00:00:00");
  await recordManualPayment(office.ctx, paid, { method: "cash" });
  await advanceTo(office, clock, "2027-04-10T00:00:00");
  expect((await get(office.ctx, expired)).status).toBe("Expired");
  const transport = { send: async () => ({ kind: "sent" as const }), close: () => undefined };
  await runAll(defineMailSending(transport), staff.businessId);
  const { rows } = await db.execute(
    sql`select object_id as id, status from mails where business_id = ${staff.businessId} and kind = 'payment_reminder'`,
  );
  expect(new Map(rows.map(({ id, status }) => [id, status]))).toEqual(
    new Map([
      [expired, "sent"],
      [paid, "kept"],
    ]),
  );
});

test("a default that was off during an advance reminds of later mornings once it is on, also where the link was changed meanwhile", async () => {
  await inZone("UTC");
  const setDefault = async (reminders: Reminder[]) => {
    const { name, time_zone, default_currency } = await getBusiness(shop.ctx);
    await updateBusiness(shop.ctx, { name, time_zone, default_currency, reminders } as never);
  };
  const clock = await newClock(shop, start);
  await setDefault(every(1, 3, 5));
  const [left, changed] = [
    await linkAt(clock, { send_email: true }),
    await linkAt(clock, { send_email: true }),
  ];
  await setDefault([]);
  await advanceTo(shop, clock, "2027-03-03T00:00:00");
  await cancel(shop.ctx, changed);
  await reopen(shop.ctx, changed);
  expect((await get(shop.ctx, left)).default_reminders).toEqual([]);
  await setDefault(every(1));
  await advanceTo(shop, clock, "2027-03-05T00:00:00");
  await setDefault([]);
  await advanceTo(shop, clock, "2027-04-01T00:00:00");
  await setDefault(every(1));
  for (const id of [left, changed]) {
    expect((await get(shop.ctx, id)).default_reminders).toEqual(every(1, 3, 5));
    expect(await remindedAt(id)).toEqual([micros("2027-03-04T09:00:00")]);
  }
});
