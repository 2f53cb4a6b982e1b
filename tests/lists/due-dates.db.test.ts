import fc from "fast-check";
import { sql } from "drizzle-orm";
import { beforeEach, expect, test } from "vitest";
import { db } from "@/db/client";
import { linkStatuses } from "@/lib/contract/values";
import { createBusiness } from "@/lib/domain/businesses/create";
import { type Ctx, systemCtx } from "@/lib/domain/context";
import { create } from "@/lib/domain/payment-links/create";
import { get } from "@/lib/domain/payment-links/get";
import { cancel, reopen } from "@/lib/domain/payment-links/cancel";
import { countLinks, listLinks, matchingLinks } from "@/lib/domain/payment-links/list-rows";
import { openStatuses } from "@/lib/domain/payment-links/rules";
import { update } from "@/lib/domain/payment-links/update";

const input = { email: "ana@example.com", currency: "MYR", amount: 1_250, title: "Trip" };
const all = { sort: "-created_at", limit: 1_000, offset: 0, back: false } as const;
const newest = (ctx: Ctx, overdue: boolean) => listLinks(ctx, { overdue }, all);

let ctx: Ctx;
beforeEach(async () => {
  const { id } = await createBusiness({ name: "Tide & Co" });
  ctx = systemCtx({ businessId: id, mode: "test" }, { kind: "operator" }, "due dates");
});

/** Seconds from now, by the database's clock. */
async function moment(seconds: number): Promise<string> {
  const { rows } = await db.execute<{ at: string }>(
    sql`select to_char((now() + make_interval(secs => ${seconds})) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as at`,
  );
  return rows[0]?.at ?? "";
}

test("the flag, both sides of the filter, their counts and a batch's choice agree for every state and due date", async () => {
  const one = fc.record({
    status: fc.constantFrom(...linkStatuses),
    due: fc.option(fc.integer({ min: -90, max: 90 }).filter((days) => days !== 0)),
  });
  const made = new Map<string, boolean>();
  for (const { status, due } of fc.sample(one, 60)) {
    const { _id } = await create(ctx, input);
    await db.execute(
      sql`update payment_links set status = ${status}, due_at = now() + make_interval(days => ${due}::integer) where id = ${_id}`,
    );
    made.set(_id, openStatuses.includes(status) && due !== null && due < 0);
  }
  for (const side of [true, false]) {
    const expected = [...made].filter(([, late]) => late === side).map(([id]) => id);
    const rows = await newest(ctx, side);
    expect(rows.map(({ id }) => id).sort()).toEqual(expected.sort());
    expect(rows.every(({ overdue }) => overdue === side)).toBe(true);
    expect(await countLinks(ctx, { overdue: side })).toBe(expected.length);
    expect((await matchingLinks(ctx, { overdue: side }, undefined, 1_000)).sort()).toEqual(
      expected,
    );
    for (const id of expected) expect((await get(ctx, id)).overdue).toBe(side);
  }
});

test("a link becomes overdue at its due date, without a change of it", async () => {
  const due_at = await moment(2);
  const before = await create(ctx, { ...input, due_at });
  expect(before).toMatchObject({ due_at, overdue: false });
  await expect
    .poll(async () => (await get(ctx, before._id)).overdue, { timeout: 10_000 })
    .toBe(true);
  expect(await get(ctx, before._id)).toEqual({ ...before, overdue: true });
});

test("what a change answers, and its event, say whether the link is overdue from then on", async () => {
  const made = await create(ctx, { ...input, due_at: await moment(-60) });
  expect(made.overdue).toBe(true);
  const answers = [
    await cancel(ctx, made._id),
    await reopen(ctx, made._id),
    await update(ctx, made._id, { ...input, due_at: await moment(60) }),
    await update(ctx, made._id, { ...input, due_at: await moment(-60) }),
  ];
  expect(answers.map(({ overdue }) => overdue)).toEqual([false, true, false, true]);
  const { rows } = await db.execute<{ overdue: boolean; previous: object | null }>(
    sql`select (data ->> 'overdue')::boolean as overdue, previous from events where object_id = ${made._id} order by seq`,
  );
  expect(rows.map(({ overdue }) => overdue)).toEqual([true, false, true, false, true]);
  for (const { previous } of rows) expect(previous ?? {}).not.toHaveProperty("overdue");
});

test("a due date may have passed, and may not be after the expiry", async () => {
  const [day, later] = [await moment(86_400), await moment(86_401)];
  const wrong = { ...input, due_at: later, expires_at: day };
  const refused = {
    status: 422,
    options: { errors: { due_at: ["The due at must not be after the expiry."] } },
  };
  await expect(create(ctx, wrong)).rejects.toMatchObject(refused);
  const { _id } = await create(ctx, { ...input, due_at: day, expires_at: day });
  await expect(update(ctx, _id, wrong)).rejects.toMatchObject(refused);
  expect(
    (await update(ctx, _id, { ...input, due_at: "1970-01-01T00:00:00.000000Z" })).overdue,
  ).toBe(true);
});

test("a version from before the column creates links without it", async () => {
  const [{ n } = { n: 0 }] = (
    await db.execute<{ n: number }>(sql`
      with made as (insert into payment_links (business_id, mode, id, email, currency, amount, title)
        values (${ctx.businessId}, 'test', lpad('abc', 24, '0'), 'a@example.com', 'MYR', 500, 'Old') returning 1)
      select count(*)::integer as n from made`)
  ).rows;
  expect(n).toBe(1);
  expect(await get(ctx, "abc".padStart(24, "0"))).toMatchObject({ due_at: null, overdue: false });
});
