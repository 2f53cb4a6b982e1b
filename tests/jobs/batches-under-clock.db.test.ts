import fc from "fast-check";
import { sql } from "drizzle-orm";
import { afterAll, beforeEach, expect, test } from "vitest";
import { closePool, db } from "@/db/client";
import { eventsAbout } from "@/lib/domain/events/rows";
import { cancel, reopen } from "@/lib/domain/payment-links/cancel";
import { create } from "@/lib/domain/payment-links/create";
import { get } from "@/lib/domain/payment-links/get";
import { update } from "@/lib/domain/payment-links/update";
import { batchWork } from "@/lib/flows/batch/job";
import { report, start, undo } from "@/lib/flows/batch/steps";
import type { Problem } from "@/lib/kernel/problem";
import { newShop, type Shop } from "../money/setting";
import { advanceTo, newClock } from "../money/subscription-setting";
import { runAll } from "../run-once";

afterAll(closePool);

const input = { email: "ana@example.com", currency: "MYR", amount: 1_250, title: "Trip" };
const expiry = "2031-01-31T12:00:00.000000Z";

let shop: Shop;
beforeEach(async () => {
  shop = await newShop();
});

const linkAt = async (clock: string | null, more: object = {}) =>
  create(shop.ctx, {
    ...input,
    send_email: false,
    ...(clock === null ? {} : { test_clock_id: clock }),
    ...more,
  });

async function extend(ids: string[], to: string) {
  const batch = await start(shop.ctx, {}, { action: "extend", ids, expires_at: to, shorten: true });
  await runAll(batchWork, shop.ctx.businessId);
  return report(shop.ctx, batch._id);
}

const edits: Record<string, (id: string) => Promise<unknown>> = {
  cancel: (id) => cancel(shop.ctx, id),
  reopen: (id) => reopen(shop.ctx, id),
  "change the amount": async (id) =>
    update(shop.ctx, id, { ...input, amount: (await get(shop.ctx, id)).amount + 1 } as never),
  "save it unchanged": async (id) => {
    const { expires_at: expires, amount } = await get(shop.ctx, id);
    return update(shop.ctx, id, {
      ...input,
      amount,
      ...(expires === null ? {} : { expires_at: expires }),
    } as never);
  },
};

test("an undo leaves each link that was changed after the batch, at whatever moment, and gives back the others", async () => {
  const cases = fc.sample(
    fc.record({
      clock: fc.constantFrom(null, "2020-05-01T00:00:00", "2030-05-01T00:00:00"),
      action: fc.constantFrom("cancel" as const, "extend" as const),
      after: fc.array(fc.constantFrom(...Object.keys(edits)), { maxLength: 3 }),
    }),
    40,
  );
  for (const { clock: time, action, after } of cases) {
    const clock = time === null ? null : await newClock(shop, time);
    const { _id: id } = await linkAt(clock);
    const before = await get(shop.ctx, id);
    const batch = await start(
      shop.ctx,
      {},
      { action, ids: [id], expires_at: expiry, shorten: true },
    );
    await runAll(batchWork, shop.ctx.businessId);
    let edited = 0;
    for (const edit of after)
      edited += await (edits[edit]?.(id).then(
        () => 1,
        () => 0,
      ) ?? 0);
    const left = await get(shop.ctx, id);
    const { _id: undone } = await undo(shop.ctx, batch._id);
    await runAll(batchWork, shop.ctx.businessId);
    const { status, expires_at } = await get(shop.ctx, id);
    const expected = edited > 0 ? left : before;
    expect([time, action, after, { status, expires_at }]).toEqual([
      time,
      action,
      after,
      { status: expected.status, expires_at: expected.expires_at },
    ]);
    expect((await report(shop.ctx, undone)).reasons).toEqual(
      edited > 0 ? [{ reason: "changed_since", count: 1 }] : [],
    );
  }
}, 120_000);

test("each change of a link has a later `updated_at` than the one before, also where its clock stands still", async () => {
  const clock = await newClock(shop, "2030-05-01T00:00:00");
  const { _id: id, updated_at: first } = await linkAt(clock);
  const moments = [first];
  for (const edit of ["cancel", "reopen", "save it unchanged", "change the amount"]) {
    await edits[edit]?.(id);
    moments.push((await get(shop.ctx, id)).updated_at);
  }
  expect(new Set(moments).size).toBe(5);
  expect([...moments].sort()).toEqual(moments);
  await advanceTo(shop, clock, "2030-05-02T00:00:00");
  await cancel(shop.ctx, id);
  expect((await get(shop.ctx, id)).updated_at).toBe("2030-05-02T00:00:00.000000Z");
});

test("a batch extends links that follow a test clock to what is the future by that clock", async () => {
  const past = await newClock(shop, "2020-01-01T00:00:00");
  const { _id: id } = await linkAt(past, { expires_at: "2020-02-01T00:00:00.000000Z" });
  await advanceTo(shop, past, "2020-03-01T00:00:00");
  expect((await get(shop.ctx, id)).status).toBe("Expired");
  expect((await extend([id], "2020-04-01T00:00:00.000000Z")).reasons).toEqual([]);
  expect(await get(shop.ctx, id)).toMatchObject({
    status: "Active",
    expires_at: "2020-04-01T00:00:00.000000Z",
  });
  await expect(extend([id], "2020-02-15T00:00:00.000000Z")).rejects.toMatchObject({ status: 422 });
});

test("days count from a link's own expiry, and from its clock's now where that has passed", async () => {
  const clock = await newClock(shop, "2020-01-01T00:00:00");
  const open = await linkAt(clock, { expires_at: "2020-06-01T08:00:00.000000Z" });
  const over = await linkAt(clock, { expires_at: "2020-02-01T00:00:00.000000Z" });
  const endless = await linkAt(clock);
  await advanceTo(shop, clock, "2020-03-01T00:00:00");
  const ids = [open, over, endless].map(({ _id }) => _id);
  const batch = await start(shop.ctx, {}, { action: "extend", ids, extend_days: 7 });
  expect(batch).toMatchObject({ extend_days: 7, expires_at: null, shorten: false });
  await runAll(batchWork, shop.ctx.businessId);
  expect((await report(shop.ctx, batch._id)).reasons).toEqual([
    { reason: "never_expires", count: 1 },
  ]);
  expect(await get(shop.ctx, open._id)).toMatchObject({
    expires_at: "2020-06-08T08:00:00.000000Z",
  });
  expect(await get(shop.ctx, over._id)).toMatchObject({
    status: "Active",
    expires_at: "2020-03-08T00:00:00.000000Z",
  });
  await undo(shop.ctx, batch._id);
  await runAll(batchWork, shop.ctx.businessId);
  expect(await get(shop.ctx, open._id)).toMatchObject({ expires_at: open.expires_at });
  expect(await get(shop.ctx, over._id)).toMatchObject({
    status: "Expired",
    expires_at: over.expires_at,
  });
});

test.each(["cancel", "extend"] as const)(
  "an undo of a batch (%s) that makes a link expired again says so by that event",
  async (action) => {
    const clock = await newClock(shop, "2020-01-01T00:00:00");
    const { _id: id } = await linkAt(clock, { expires_at: "2020-02-01T00:00:00.000000Z" });
    await advanceTo(shop, clock, "2020-03-01T00:00:00");
    const more = action === "extend" ? { extend_days: 7 } : {};
    const batch = await start(shop.ctx, {}, { action, ids: [id], ...more });
    await runAll(batchWork, shop.ctx.businessId);
    await undo(shop.ctx, batch._id);
    await runAll(batchWork, shop.ctx.businessId);
    expect((await eventsAbout(shop.ctx, id))[0]).toMatchObject({
      type: "payment_link.expired",
      data: { status: "Expired", expires_at: "2020-02-01T00:00:00.000000Z" },
    });
  },
);

test("due dates move by the same days where that is asked for, also of links that never expire, and one undo gives both back", async () => {
  const clock = await newClock(shop, "2020-01-01T00:00:00");
  const due = "2020-05-31T08:00:00.000000Z";
  const expires = "2020-06-01T08:00:00.000000Z";
  const open = await linkAt(clock, { due_at: due, expires_at: expires });
  const overdue = await linkAt(clock, {
    due_at: "2020-02-01T00:00:00.000000Z",
    expires_at: expires,
  });
  const endless = await linkAt(clock, { due_at: due });
  const plain = await linkAt(clock);
  await advanceTo(shop, clock, "2020-03-01T00:00:00");
  const links = [open, overdue, endless, plain];
  const ids = links.map(({ _id }) => _id);
  const dates = () =>
    Promise.all(
      ids.map(async (id) => {
        const { due_at, expires_at } = await get(shop.ctx, id);
        return [due_at, expires_at];
      }),
    );
  const before = await dates();
  const extension = { action: "extend", ids, extend_days: 7 } as const;
  const batch = await start(shop.ctx, {}, { ...extension, move_due: true });
  expect(batch).toMatchObject({ extend_days: 7, move_due: true, expires_at: null });
  await runAll(batchWork, shop.ctx.businessId);
  expect((await report(shop.ctx, batch._id)).reasons).toEqual([
    { reason: "never_expires", count: 1 },
  ]);
  expect(await dates()).toEqual([
    ["2020-06-07T08:00:00.000000Z", "2020-06-08T08:00:00.000000Z"],
    ["2020-03-08T00:00:00.000000Z", "2020-06-08T08:00:00.000000Z"],
    ["2020-06-07T08:00:00.000000Z", null],
    [null, null],
  ]);
  await undo(shop.ctx, batch._id);
  await runAll(batchWork, shop.ctx.businessId);
  expect(await dates()).toEqual(before);
  await start(shop.ctx, {}, extension);
  await runAll(batchWork, shop.ctx.businessId);
  expect((await dates()).map(([moved]) => moved)).toEqual(before.map(([first]) => first));
});

test("days keep the time of day in the business's zone when its clocks change", async () => {
  await db.execute(
    sql`update businesses set time_zone = 'Europe/Lisbon' where id = ${shop.ctx.businessId}`,
  );
  const { _id: id } = await linkAt(null, { expires_at: "2030-03-28T12:00:00.000000Z" });
  await start(shop.ctx, {}, { action: "extend", ids: [id], extend_days: 7 });
  await runAll(batchWork, shop.ctx.businessId);
  expect((await get(shop.ctx, id)).expires_at).toBe("2030-04-04T11:00:00.000000Z");
});

test("a worker that knows nothing of days finds an expiry that has passed by every clock, and leaves the links", async () => {
  const { _id: id } = await linkAt(await newClock(shop, "1971-01-01T00:00:00"));
  const batch = await start(shop.ctx, {}, { action: "extend", ids: [id], extend_days: 7 });
  // Such a worker does not read the column.
  await db.execute(sql`update batches set extend_days = null where id = ${batch._id}`);
  await runAll(batchWork, shop.ctx.businessId);
  expect((await report(shop.ctx, batch._id)).reasons).toEqual([
    { reason: "expiry_passed", count: 1 },
  ]);
});

test("a worker that knows nothing of moved due dates leaves the links, in the batch and in its undo", async () => {
  const clock = await newClock(shop, "1971-01-01T00:00:00");
  const { _id: id } = await linkAt(clock, { due_at: "1971-02-01T00:00:00.000000Z" });
  const extension = { action: "extend" as const, ids: [id], extend_days: 7, move_due: true };
  const left = await start(shop.ctx, {}, extension);
  // Such a worker does not read the columns.
  await db.execute(sql`update batches set postpone_days = null where id = ${left._id}`);
  await runAll(batchWork, shop.ctx.businessId);
  expect((await report(shop.ctx, left._id)).reasons).toEqual([
    { reason: "expiry_passed", count: 1 },
  ]);
  const moved = await start(shop.ctx, {}, extension);
  await runAll(batchWork, shop.ctx.businessId);
  const after = await get(shop.ctx, id);
  expect(after.due_at).toBe("1971-02-08T00:00:00.000000Z");
  await db.execute(
    sql`update batch_items set postponed_at = null, previous_due_at = null where batch_id = ${moved._id}`,
  );
  const { _id: undone } = await undo(shop.ctx, moved._id);
  await runAll(batchWork, shop.ctx.businessId);
  expect((await report(shop.ctx, undone)).reasons).toEqual([{ reason: "changed_since", count: 1 }]);
  expect(await get(shop.ctx, id)).toEqual(after);
});

test("an extension is by days or to a moment, and days never shorten", async () => {
  const { _id: id } = await linkAt(null);
  const errors = async (body: object) =>
    start(shop.ctx, {}, { action: "extend", ids: [id], ...body } as never).then(
      () => "started",
      (error: Problem) => Object.keys(error.options.errors ?? {}),
    );
  expect(await errors({})).toEqual(["expires_at"]);
  expect(await errors({ expires_at: expiry, extend_days: 7 })).toEqual(["extend_days"]);
  expect(await errors({ expires_at: expiry, move_due: true })).toEqual(["move_due"]);
  expect(await errors({ extend_days: 7, shorten: true })).toEqual(["shorten"]);
  expect(await errors({ extend_days: 7, shorten: false })).toBe("started");
});

test("a link whose clock has passed the new expiry is left, and the report says why", async () => {
  const future = await newClock(shop, "2040-01-01T00:00:00");
  const [later, real] = [await linkAt(future), await linkAt(null)];
  expect((await extend([later._id, real._id], expiry)).reasons).toEqual([
    { reason: "expiry_passed", count: 1 },
  ]);
  expect(await get(shop.ctx, later._id)).toEqual(later);
  expect((await get(shop.ctx, real._id)).expires_at).toBe(expiry);
});

test("links that follow no clock are extended only to what is the future now, whatever clocks there are", async () => {
  await newClock(shop, "1990-01-01T00:00:00");
  const { _id: id } = await linkAt(null);
  await expect(extend([id], "2000-01-01T00:00:00.000000Z")).rejects.toMatchObject({ status: 422 });
});

test("a batch that waits until its expiry has passed leaves the links", async () => {
  const { _id: id } = await linkAt(null);
  const batch = await start(shop.ctx, {}, { action: "extend", ids: [id], expires_at: expiry });
  await db.execute(
    sql`update batches set expires_at = now() - interval '1 second' where id = ${batch._id}`,
  );
  await runAll(batchWork, shop.ctx.businessId);
  expect((await report(shop.ctx, batch._id)).reasons).toEqual([
    { reason: "expiry_passed", count: 1 },
  ]);
  expect((await get(shop.ctx, id)).status).toBe("Active");
});
