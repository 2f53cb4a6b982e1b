import { parse } from "csv-parse/sync";
import { sql } from "drizzle-orm";
import { beforeEach, expect, test } from "vitest";
import { db } from "@/db/client";
import type { Reminder } from "@/lib/contract/reminders";
import { createBusiness } from "@/lib/domain/businesses/create";
import { get as getBusiness } from "@/lib/domain/businesses/manage";
import { type Ctx, systemCtx } from "@/lib/domain/context";
import { USUAL_ROWS } from "@/lib/domain/lists";
import { cancel, reopen } from "@/lib/domain/payment-links/cancel";
import { create } from "@/lib/domain/payment-links/create";
import { exportCsv } from "@/lib/domain/payment-links/export";
import { get } from "@/lib/domain/payment-links/get";
import { listLinks } from "@/lib/domain/payment-links/list-rows";
import { update } from "@/lib/domain/payment-links/update";
import { updateBusiness } from "@/lib/flows/business-change/steps";

const input = { email: "ana@example.com", currency: "MYR", amount: 1_250, title: "Trip" };
const after = (days: number): Reminder => ({ days, relative_to: "created_at" });

let ctx: Ctx;
beforeEach(async () => {
  const { id } = await createBusiness({ name: "Tide & Co" });
  ctx = systemCtx({ businessId: id, mode: "test" }, { kind: "operator" }, "default reminders");
});

async function settings(reminders: Reminder[]): Promise<void> {
  const { name, time_zone, default_currency } = await getBusiness(ctx);
  const fields = { name, time_zone, default_currency, reminders, version: undefined };
  await updateBusiness(ctx, fields as never);
}

const defaultsOf = (ids: string[]) =>
  Promise.all(ids.map(async (id) => (await get(ctx, id)).default_reminders));

test("a link says which reminders it has by default: those of its creation, none without a mail, none while the settings have none or were without meanwhile", async () => {
  const earlier = await create(ctx, input);
  await settings([after(3)]);
  const made = [
    earlier,
    await create(ctx, input),
    await create(ctx, { ...input, send_email: false }),
    await create(ctx, { ...input, reminders: [after(9)] }),
  ];
  const ids = made.map(({ _id }) => _id);
  const atFirst = [[], [after(3)], [], [after(3)]];
  expect(made.map((link) => link.default_reminders)).toEqual(atFirst);
  expect(await defaultsOf(ids)).toEqual(atFirst);
  await settings([after(7)]);
  expect(await defaultsOf(ids)).toEqual(atFirst);
  await settings([]);
  expect(await defaultsOf(ids)).toEqual([[], [], [], []]);
  await settings([after(7)]);
  expect(await defaultsOf(ids)).toEqual([[], [], [], []]);
  expect((await create(ctx, input)).default_reminders).toEqual([after(7)]);
});

test("lists, exports, events and what a change answers hold the default reminders, and a change of the settings is no change of the link", async () => {
  await settings([after(3)]);
  const { _id } = await create(ctx, input);
  const quiet = await create(ctx, { ...input, send_email: false });
  const answers = [
    await cancel(ctx, _id),
    await reopen(ctx, _id),
    await update(ctx, _id, { ...input, reminders: [after(9)] }),
  ];
  expect(answers.map((link) => link.default_reminders)).toEqual(answers.map(() => [after(3)]));

  const walk = { sort: "-created_at", limit: 100, offset: 0, back: false } as const;
  // Both ask for the same amount, so that order says nothing of which is first.
  for (const rows of [
    await listLinks(ctx, {}, { ...walk, limit: USUAL_ROWS }),
    await listLinks(ctx, { currency: "MYR" }, walk),
    await listLinks(ctx, { email: input.email }, { ...walk, sort: "-amount" }),
  ])
    expect(new Map(rows.map((row) => [row.id, row.defaultInEffect]))).toEqual(
      new Map([
        [quiet._id, []],
        [_id, [after(3)]],
      ]),
    );
  const file = await new Response(await exportCsv(ctx, { sort: "-created_at" })).text();
  expect(parse(file, { columns: true, bom: true })).toMatchObject([
    { _id: quiet._id, default_reminders: "none" },
    { _id, reminders: "created+9", default_reminders: "created+3" },
  ]);

  await settings([]);
  await cancel(ctx, _id);
  const { rows } = await db.execute<{ reminders: Reminder[]; previous: object | null }>(
    sql`select data -> 'default_reminders' as reminders, previous from events where object_id in (${_id}, ${quiet._id}) order by seq`,
  );
  const each = [after(3)];
  expect(rows.map(({ reminders }) => reminders)).toEqual([each, [], each, each, each, []]);
  for (const { previous } of rows) expect(previous ?? {}).not.toHaveProperty("default_reminders");
});
