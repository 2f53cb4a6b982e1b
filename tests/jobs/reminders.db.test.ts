import fc from "fast-check";
import { sql } from "drizzle-orm";
import pg from "pg";
import { afterAll, beforeEach, expect, test, vi } from "vitest";
import { closePool, db } from "@/db/client";
import type { Reminder } from "@/lib/contract/reminders";
import { get as getBusiness } from "@/lib/domain/businesses/manage";
import { recordManualPayment } from "@/lib/flows/link-change/record-manual";
import { cancel, reopen } from "@/lib/domain/payment-links/cancel";
import { create } from "@/lib/domain/payment-links/create";
import { dueReminders } from "@/lib/domain/payment-links/reminder-rows";
import { remove } from "@/lib/domain/payment-links/remove";
import { update } from "@/lib/domain/payment-links/update";
import { ERASED_EMAIL } from "@/lib/domain/payers/rules";
import { batchWork } from "@/lib/flows/batch/job";
import { report, start } from "@/lib/flows/batch/steps";
import { updateBusiness } from "@/lib/flows/business-change/steps";
import { linkReminders } from "@/lib/flows/reminders/job";
import { cancel as cancelReleased, update as updateReleased } from "@/lib/flows/link-change/steps";
import { remindPayers } from "@/lib/flows/reminders/steps";
import { defineMailSending } from "@/lib/flows/mailing/job";
import type { MailTransport } from "@/lib/mail/transport";
import { payLate } from "../money/late-payment";
import { newShop, type Shop } from "../money/setting";
import { someStaff } from "../staff/person";
import { claimOf, runAll } from "../run-once";

afterAll(closePool);

const input = { email: "ana@example.com", currency: "MYR", amount: 1_250, title: "Trip" };
const after = (days: number): Reminder => ({ days, relative_to: "created_at" });
const due = (days: number): Reminder => ({ days, relative_to: "due_at" });
/** A zone in which it is between 10 and 11 in the morning: a reminder that is due goes out. */
const lateMorning = () => `Etc/GMT${offset(10)}`;
/** A zone in which it is between 3 and 4 at night. */
const night = () => `Etc/GMT${offset(3)}`;
function offset(hour: number): string {
  const hours = ((hour - new Date().getUTCHours() + 36) % 24) - 12;
  return hours > 0 ? `-${hours}` : `+${-hours}`;
}

let shop: Shop;
beforeEach(async () => {
  shop = await newShop();
});

const inZone = (zone: string, of = shop) =>
  db.execute(sql`update businesses set time_zone = ${zone} where id = ${of.ctx.businessId}`);
/** As if the link had been made, and were due, so many days earlier. */
const age = (id: string, days: number) =>
  db.execute(sql`update payment_links set created_at = (select created_at - make_interval(days => ${days})),
    due_at = (select due_at - make_interval(days => ${days})), next_reminder_at = (select next_reminder_at - make_interval(days => ${days})) where id = ${id}`);
const run = (of = shop) => runAll(linkReminders, of.ctx.businessId);
const nextOf = async (id: string): Promise<string | null> => {
  const { rows } = await db.execute<{ at: string | null }>(
    sql`select next_reminder_at as at from payment_links where id = ${id}`,
  );
  return rows[0]?.at ?? null;
};
const mailsOf = async (id: string) => {
  const { rows } = await db.execute<{
    kind: string;
    subject: string;
    status: string;
    error: string | null;
    id: string;
  }>(
    sql`select id, kind, subject, status, error from mails where object_id = ${id} and kind = 'payment_reminder' order by created_at`,
  );
  return rows;
};
/** An open link with one reminder, which is due. */
async function dueLink(of = shop, reminders: Reminder[] = [after(1)]): Promise<string> {
  const { _id } = await create(of.ctx, { ...input, reminders });
  await age(_id, 2);
  return _id;
}

const zones = Intl.supportedValuesOf("timeZone");

test("the next reminder is at nine in the morning of its day, in every zone and on every day of the year", async () => {
  const moment = fc.date({
    min: new Date("2012-01-01"),
    max: new Date("2022-12-31"),
    noInvalidDate: true,
  });
  const one = fc.record({
    zone: fc.constantFrom(...zones),
    base: fc.constantFrom("created_at", "due_at"),
    days: fc.integer({ min: 1, max: 365 }),
    at: moment,
  });
  const cases = fc.sample(one, 400);
  for (const { zone, base, days, at } of cases) {
    await inZone(zone);
    const { _id } = await create(
      {
        ...shop.ctx,
        now: base === "created_at" ? at.toISOString() : "2011-06-01T00:00:00.000000Z",
      },
      {
        ...input,
        due_at: at.toISOString(),
        reminders: [{ days, relative_to: base as "due_at" }],
        send_email: false,
      },
    );
    const next = await nextOf(_id);
    const shown = (moment: Date) =>
      new Intl.DateTimeFormat("sv-SE", {
        timeZone: zone,
        dateStyle: "short",
        timeStyle: "medium",
      }).format(moment);
    const day = new Date(`${shown(at).slice(0, 10)}T00:00:00Z`);
    day.setUTCDate(day.getUTCDate() + days);
    expect([zone, shown(new Date(next ?? ""))]).toEqual([
      zone,
      `${day.toISOString().slice(0, 10)} 09:00:00`,
    ]);
  }
}, 120_000);

test("a payer is reminded once, by several workers at the same time, and not before the day", async () => {
  await inZone(lateMorning());
  const [now, later] = [
    await dueLink(),
    (await create(shop.ctx, { ...input, reminders: [after(1)] }))._id,
  ];
  await Promise.all([run(), run(), run()]);
  expect(await mailsOf(now)).toMatchObject([{ subject: expect.stringContaining("Reminder: ") }]);
  expect(await nextOf(now)).toBeNull();
  expect(await mailsOf(later)).toEqual([]);
});

test("a worker that is killed between its claim and its commit reminds nobody, and the next one reminds once", async () => {
  await inZone(lateMorning());
  const id = await dueLink();
  const claimed = await claimOf(dueReminders, shop.ctx.businessId);
  const real = pg.Client.prototype.query;
  const broken = vi.spyOn(pg.Client.prototype, "query").mockImplementation(function (
    this: pg.Client,
    ...args: unknown[]
  ) {
    const [what] = args as [string | { text: string }];
    const text = typeof what === "string" ? what : what.text;
    if (text.toLowerCase() === "commit") throw new Error("killed");
    return Reflect.apply(real, this, args);
  } as never);
  await expect(remindPayers(claimed, "first"))
    .rejects.toThrow("commit")
    .finally(() => broken.mockRestore());
  expect(await mailsOf(id)).toEqual([]);
  await db.execute(sql`update payment_links set leased_until = now() where id = ${id}`);
  await run();
  expect(await mailsOf(id)).toHaveLength(1);
  // The first worker comes back: its claim is lost.
  await expect(remindPayers(claimed, "late")).rejects.toThrow();
  expect(await mailsOf(id)).toHaveLength(1);
});

test("mornings that were missed are made up for by one mail, and the next one has its own", async () => {
  await inZone(lateMorning());
  const { _id } = await create(shop.ctx, {
    ...input,
    reminders: [after(1), after(2), after(3), after(30)],
  });
  await age(_id, 5);
  await run();
  await run();
  expect(await mailsOf(_id)).toHaveLength(1);
  expect(Date.parse((await nextOf(_id)) ?? "")).toBeGreaterThan(Date.now());
});

test("a late reminder waits for the morning", async () => {
  await inZone(night());
  const id = await dueLink();
  await run();
  expect(await mailsOf(id)).toEqual([]);
  const next = Date.parse((await nextOf(id)) ?? "");
  expect(next).toBeGreaterThan(Date.now() + 4 * 3_600_000);
  expect(next).toBeLessThan(Date.now() + 7 * 3_600_000);
});

/** Changes the amount, so that money of the old one comes late while the link is open. */
const payOldAmount = (id: string) =>
  payLate(shop.ctx, id, () =>
    updateReleased(shop.ctx, id, { ...input, amount: 2_000, reminders: [after(1)] }),
  );
/** Mornings before a link is opened again are passed over: it gets one of after that. */
const remindAgain = async (id: string) => {
  await update(shop.ctx, id, { ...input, reminders: [after(3)] });
  await age(id, 2);
};
const ends: Record<string, (id: string) => Promise<unknown>> = {
  paid: (id) => recordManualPayment(shop.ctx, id, { method: "cash" }),
  cancelled: (id) => cancel(shop.ctx, id),
  expired: (id) =>
    db.execute(
      sql`update payment_links set expires_at = now() - interval '1 second' where id = ${id}`,
    ),
  deleted: (id) => remove(shop.ctx, id),
  "of an erased payer": (id) =>
    db.execute(sql`update payment_links set email = ${ERASED_EMAIL} where id = ${id}`),
  "paid by money for its old amount": payOldAmount,
  "cancelled, paid after that and reopened": async (id) => {
    await payLate(shop.ctx, id, () => cancelReleased(shop.ctx, id));
    await reopen(shop.ctx, id);
    await remindAgain(id);
  },
  "expired, paid after that and extended": async (id) => {
    await payLate(shop.ctx, id, () =>
      db.execute(
        sql`update payment_links set status = 'Expired', expires_at = now() where id = ${id}`,
      ),
    );
    await start(shop.ctx, {}, { action: "extend", ids: [id], extend_days: 30 });
    await runAll(batchWork, shop.ctx.businessId);
    await remindAgain(id);
  },
};
test.each(Object.entries(ends))("a link that is %s reminds nobody", async (_, end) => {
  await inZone(lateMorning());
  const id = await dueLink();
  await end(id);
  await run();
  expect(await mailsOf(id)).toEqual([]);
});

test("a payer is reminded again once money that came late went back", async () => {
  await inZone(lateMorning());
  const id = await dueLink();
  const paymentId = await payOldAmount(id);
  await db.execute(
    sql`update payments set status = 'refunded', refunded_amount = amount where id = ${paymentId}`,
  );
  await run();
  expect(await mailsOf(id)).toHaveLength(1);
});

test("of a payment and a reminder at the same moment, the reminder comes first or not at all, and is not sent after the payment", async () => {
  await inZone(lateMorning());
  const ids = await Promise.all(Array.from({ length: 12 }, () => dueLink()));
  await Promise.all([
    run(),
    ...ids.map((id) => recordManualPayment(shop.ctx, id, { method: "cash" })),
  ]);
  await run();
  const mails = (await Promise.all(ids.map(mailsOf))).flat();
  expect(new Set(mails.map(({ id }) => id)).size).toBe(mails.length);
  expect(mails.every(({ kind }) => kind === "payment_reminder")).toBe(true);
});

test("a reminder in the outbox is not sent once its link is paid", async () => {
  const staff = await someStaff();
  const office: Shop = { ...shop, ctx: { ...shop.ctx, businessId: staff.businessId as never } };
  await inZone(lateMorning(), office);
  const made = await Promise.all(
    ["paid", "open"].map(() =>
      create(office.ctx, { ...input, email: staff.email, reminders: [after(1)] }),
    ),
  );
  const [paid, open] = made.map(({ _id }) => _id) as [string, string];
  for (const id of [paid, open]) await age(id, 2);
  await run(office);
  await recordManualPayment(office.ctx, paid, { method: "cash" });
  const sent: string[] = [];
  const transport: MailTransport = {
    send: async ({ subject }) => {
      sent.push(subject);
      return { kind: "sent" };
    },
    close: () => undefined,
  };
  await runAll(defineMailSending(transport), staff.businessId);
  expect(await mailsOf(paid)).toMatchObject([
    { status: "kept", error: "The payment link takes no money any more." },
  ]);
  expect(await mailsOf(open)).toMatchObject([{ status: "sent" }]);
  expect(sent.filter((subject) => subject.includes("Reminder"))).toHaveLength(1);
});

test("a new due date has reminders of its own; mornings that passed before a change are passed over", async () => {
  await inZone(lateMorning());
  const at = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
  const { _id } = await create(shop.ctx, { ...input, due_at: at(2), reminders: [due(-1), due(2)] });
  await age(_id, 2);
  await run();
  expect(await mailsOf(_id)).toHaveLength(1);
  await update(shop.ctx, _id, { ...input, due_at: at(10), reminders: [due(-1), due(-30)] });
  await run();
  expect(await mailsOf(_id)).toHaveLength(1);
  expect((Date.parse((await nextOf(_id)) ?? "") - Date.now()) / 86_400_000).toBeCloseTo(9, 0);
  await age(_id, 10);
  await run();
  await run();
  expect(await mailsOf(_id)).toHaveLength(2);
  const reopened = await dueLink();
  await cancel(shop.ctx, reopened);
  await reopen(shop.ctx, reopened);
  await run();
  expect(await mailsOf(reopened)).toEqual([]);
});

test("a link is not reminded twice when the business changes its time zone in between", async () => {
  const id = await dueLink(shop, [after(1)]);
  for (const zone of [lateMorning(), "Pacific/Kiritimati", "Pacific/Pago_Pago", lateMorning()]) {
    await inZone(zone);
    await update(shop.ctx, id, { ...input, title: zone.slice(0, 40), reminders: [after(1)] });
    await db.execute(
      sql`update payment_links set next_reminder_at = now() - interval '1 minute' where id = ${id} and status = 'Active'`,
    );
    await run();
  }
  expect((await mailsOf(id)).length).toBeLessThanOrEqual(1);
});

test("the default counts for links that are made and mailed after it was switched on, and stops when it is switched off", async () => {
  const own = await newShop();
  await inZone(lateMorning(), own);
  const settings = async (reminders: Reminder[]) => {
    const { name, time_zone, default_currency } = await getBusiness(own.ctx);
    return updateBusiness(own.ctx, {
      name,
      time_zone,
      default_currency,
      reminders,
      version: undefined,
    } as never);
  };
  const link = async (more: object = {}) => {
    const { _id } = await create(own.ctx, { ...input, ...more });
    return _id;
  };
  expect((await getBusiness(own.ctx)).reminders).toEqual([]);
  const earlier = await link();
  const { reminders_since } = await settings([after(1), due(-1)]);
  expect(reminders_since).not.toBeNull();
  const [mailed, silent, never, own1] = [
    await link(),
    await link({ send_email: false }),
    await link({ reminders: [] }),
    await link({ send_email: false, reminders: [after(1)] }),
  ];
  await settings([after(300)]);
  expect((await getBusiness(own.ctx)).reminders_since).toBe(reminders_since);
  await db.execute(
    sql`update businesses set reminders_since = (select reminders_since - interval '3 days') where id = ${own.ctx.businessId}`,
  );
  for (const id of [earlier, mailed, silent, never, own1]) await age(id, 2);
  await run(own);
  const counts = await Promise.all(
    [earlier, mailed, silent, never, own1].map(async (id) => (await mailsOf(id)).length),
  );
  expect(counts).toEqual([0, 1, 0, 0, 1]);
  await settings([after(1)]);
  const stopped = await link();
  await settings([]);
  await age(stopped, 2);
  await run(own);
  expect(await mailsOf(stopped)).toEqual([]);
  // Switched on again: links of before stay without.
  await settings([after(1)]);
  await db.execute(
    sql`update payment_links set next_reminder_at = now() - interval '1 minute' where id = ${stopped}`,
  );
  await run(own);
  expect(await mailsOf(stopped)).toEqual([]);
}, 30_000);

test("a batch that would end a link before its due date leaves it and says so", async () => {
  const { _id } = await create(shop.ctx, { ...input, due_at: "2031-01-01T00:00:00.000000Z" });
  const { _id: batch } = await start(
    shop.ctx,
    {},
    {
      action: "extend",
      ids: [_id],
      expires_at: "2030-12-31T00:00:00.000000Z",
    },
  );
  await runAll(batchWork, shop.ctx.businessId);
  expect((await report(shop.ctx, batch)).reasons).toEqual([{ reason: "due_later", count: 1 }]);
});

test("a version from before the columns creates links that nobody is reminded of", async () => {
  const id = "abc".padStart(24, "0");
  await db.execute(sql`insert into payment_links (business_id, mode, id, email, currency, amount, title)
    values (${shop.ctx.businessId}, 'test', ${id}, 'a@example.com', 'MYR', 500, 'Old')`);
  expect(await nextOf(id)).toBeNull();
});
