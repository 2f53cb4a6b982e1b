import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { db, withTransaction } from "@/db/client";
import { eventTypes, subscriptionTriggers } from "@/lib/contract/values";
import { insertEvent } from "@/lib/domain/events/rows";
import { webhookFanOut } from "@/lib/flows/webhook-delivery/job";
import { newId } from "@/lib/kernel/ids";
import { newShop } from "../money/setting";
import { ownDatabaseEach } from "../own-database";
import { runOnce } from "../run-once";

ownDatabaseEach();

const queued = async () =>
  (
    await db.execute<{ type: string; consumers: string }>(
      sql`select e.type, string_agg(q.consumer, ' ' order by q.consumer) as consumers from events e join event_queue q on q.event_id = e.id group by e.id, e.type`,
    )
  ).rows;

test("an event is queued for the consumers of its type, in its own commit", async () => {
  const { ctx } = await newShop();
  await db.execute(sql`delete from event_queue`);
  for (const type of eventTypes)
    await insertEvent(ctx, db, { type, objectId: newId(), data: {}, mail: null });
  const triggers: readonly string[] = subscriptionTriggers;
  for (const { type, consumers } of await queued())
    expect([type, consumers]).toEqual([
      type,
      triggers.includes(type) ? "subscriptions webhooks" : "webhooks",
    ]);
  await db.execute(sql`delete from event_queue`);
  await insertEvent(ctx, db, {
    type: "package.created",
    objectId: newId(),
    data: {},
    mail: "payment_link",
  });
  expect((await queued()).map(({ consumers }) => consumers)).toEqual(["mails webhooks"]);
  await db.execute(sql`delete from event_queue`);
  await expect(
    withTransaction(async (tx) => {
      await insertEvent(ctx, tx, { type: "package.created", objectId: newId(), data: {} });
      throw new Error("rolled back");
    }),
  ).rejects.toThrow("rolled back");
  expect(await queued()).toEqual([]);
});

test.each(["events", "events_default"])(
  "each of several events that one statement writes to %s is queued for its own consumers",
  async (table) => {
    const { ctx } = await newShop();
    await db.execute(sql`delete from event_queue`);
    const written = [
      { type: "package.created", mail: null },
      { type: "payment_link.paid", mail: "receipt" },
      { type: "payment_link.created", mail: "payment_link" },
    ];
    await db.execute(sql`
      insert into ${sql.identifier(table)} (business_id, mode, id, type, object_id, data, actor, mail)
      select ${ctx.businessId}, 'test', 'ffff' || substr(md5(type), 1, 20), type, substr(md5(type), 1, 24), '{}', '{"kind": "system"}', mail
      from json_to_recordset(${JSON.stringify(written)}) written (type text, mail text)`);
    expect((await queued()).sort((a, b) => (a.type < b.type ? -1 : 1))).toEqual([
      { type: "package.created", consumers: "webhooks" },
      { type: "payment_link.created", consumers: "mails webhooks" },
      { type: "payment_link.paid", consumers: "mails subscriptions webhooks" },
    ]);
  },
);

test("an event that its consumer cannot take stays queued for a later try, and holds up no other", async () => {
  const { ctx } = await newShop();
  await runOnce(webhookFanOut);
  for (let made = 0; made < 3; made++)
    await insertEvent(ctx, db, { type: "package.created", objectId: newId(), data: {} });
  const { rows } = await db.execute<{ id: string }>(
    sql`select event_id as id from event_queue order by event_id limit 1`,
  );
  const bad = rows[0]?.id;
  const { work } = webhookFanOut;
  await runOnce({
    ...webhookFanOut,
    work: async (queue: Parameters<typeof work>[0], call: Parameters<typeof work>[1]) => {
      if (queue.some(({ eventId }) => eventId === bad)) throw new Error("this one fails");
      await work(queue, call);
    },
  });
  const left = await db.execute<{ id: string; failures: number }>(
    sql`select event_id as id, failures from event_queue where consumer = 'webhooks'`,
  );
  expect(left.rows).toEqual([{ id: bad, failures: 1 }]);
});
