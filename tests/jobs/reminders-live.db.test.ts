import { sql } from "drizzle-orm";
import { afterAll, expect, test } from "vitest";
import { closePool, db, pool } from "@/db/client";
import { create } from "@/lib/domain/payment-links/create";
import { dueReminders } from "@/lib/domain/payment-links/reminder-rows";
import { linkReminders } from "@/lib/flows/reminders/job";
import { remindPayers } from "@/lib/flows/reminders/steps";
import { newId } from "@/lib/kernel/ids";
import { newShop } from "../money/setting";
import { claimOf, runAll } from "../run-once";

afterAll(closePool);

/** A zone in which it is between 10 and 11 in the morning: a reminder that is due goes out. */
function lateMorning(): string {
  const hours = ((10 - new Date().getUTCHours() + 36) % 24) - 12;
  return `Etc/GMT${hours > 0 ? `-${hours}` : `+${-hours}`}`;
}

/** A business with an open link in live mode, of which a reminder is due now. */
async function dueLiveLink(): Promise<{ id: string; businessId: number }> {
  const { ctx } = await newShop();
  const { businessId } = ctx;
  await db.execute(
    sql`update businesses set time_zone = ${lateMorning()} where id = ${businessId}`,
  );
  const { _id: id } = await create(ctx, {
    email: "ana@example.com",
    currency: "MYR",
    amount: 1_250,
    title: "Trip",
    reminders: [{ days: 1, relative_to: "created_at" }],
  });
  await db.execute(sql`update directory set mode = 'live' where key = ${id}`);
  await db.execute(
    sql`update payment_links set mode = 'live', created_at = (select created_at - interval '2 days'), next_reminder_at = (select next_reminder_at - interval '2 days') where id = ${id}`,
  );
  return { id, businessId };
}

const remindersOf = async (id: string) =>
  (await db.execute(sql`select from mails where object_id = ${id} and kind = 'payment_reminder'`))
    .rows.length;

test("in live mode a business without a gateway reminds nobody: nobody could pay", async () => {
  const { id, businessId } = await dueLiveLink();
  await runAll(linkReminders, businessId);
  expect(await remindersOf(id)).toBe(0);
});

test("reminders in live mode go out while all other connections of the pool are taken", async () => {
  const { id, businessId } = await dueLiveLink();
  await db.execute(
    sql`insert into gateway_connections (business_id, mode, id, gateway) values (${businessId}, 'live', ${newId()}, 'stripe')`,
  );
  const rows = await claimOf(dueReminders, businessId);
  const others = (pool().options.max ?? 10) - 1;
  const taken = await Promise.all(Array.from({ length: others }, () => pool().connect()));
  try {
    await remindPayers(rows, "test");
  } finally {
    for (const client of taken) client.release();
  }
  expect(await remindersOf(id)).toBe(1);
});
