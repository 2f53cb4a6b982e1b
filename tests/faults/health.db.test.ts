import { randomBytes } from "node:crypto";
import { sql } from "drizzle-orm";
import { beforeEach, expect, test } from "vitest";
import { db } from "@/db/client";
import { collectMails } from "@/lib/domain/mails/outbox";
import { expire } from "@/lib/domain/payment-links/expire";
import { followEvents } from "@/lib/domain/subscriptions/engine/follow";
import { create as createToken } from "@/lib/domain/tokenizations/create";
import { expireDue } from "@/lib/domain/tokenizations/expire";
import { fanOut } from "@/lib/domain/webhooks/engine/fan-out";
import { health } from "@/lib/http/health";
import { unscopedBeat } from "@/lib/worker/rows";
import { newLink, newShop, press, type Shop } from "../money/setting";
import { ownDatabaseEach } from "../own-database";

const readers: Record<"webhooks" | "subscriptions" | "mail", () => Promise<number>> = {
  webhooks: () => fanOut(500),
  subscriptions: () => followEvents(500, "health-test"),
  mail: () => collectMails(500),
};

// Health looks at the whole install, so each test has one of its own, with a worker that was just seen.
ownDatabaseEach();
let shop: Shop;
beforeEach(async () => {
  await unscopedBeat("health-test", process.pid);
  shop = await newShop();
});

/** An event that was written so long ago: its id begins with its second. A transaction anywhere on the server may hold it back for a moment. */
async function eventFrom(
  secondsAgo: number,
  type: string,
  mail: string | null = null,
): Promise<void> {
  const id = `${Math.floor(Date.now() / 1_000 - secondsAgo).toString(16)}${randomBytes(8).toString("hex")}`;
  const data = JSON.stringify({ email: "payer@example.com" });
  await db.execute(sql`insert into events (business_id, mode, id, type, object_id, data, actor, mail)
    values (${shop.ctx.businessId}, 'test', ${id}, ${type}, ${id}, ${data}::jsonb, '{"kind":"clock"}'::jsonb, ${mail})`);
  const readable = async () =>
    (
      await db.execute(
        sql`select from events having bool_and(xid < pg_snapshot_xmin(pg_current_snapshot()))`,
      )
    ).rowCount;
  await expect.poll(readable, { timeout: 10_000, interval: 20 }).toBe(1);
}

const worker = async () => {
  const answer = await health();
  return [answer.status, ((await answer.json()) as { worker: string }).worker];
};
const [well, late] = [
  [200, "ok"],
  [503, "late"],
];
const othersRead = async (name: keyof typeof readers) => {
  for (const other of Object.keys(readers) as (keyof typeof readers)[])
    if (other !== name) await readers[other]();
};

test("an install where nothing has happened is well, whether or not a reader has begun", async () => {
  expect(await worker()).toEqual(well);
  for (const name of Object.keys(readers) as (keyof typeof readers)[]) await readers[name]();
  expect(await worker()).toEqual(well);
});

test.each([
  ["webhooks", "package.created", null],
  ["subscriptions", "payment.succeeded", null],
  ["subscriptions", "payment.failed", null],
  ["subscriptions", "payment_link.paid", null],
  ["subscriptions", "tokenization.activated", null],
  ["mail", "payment_link.created", "payment_link"],
] as const)(
  "%s left unread for more than a minute is late, whatever the other readers have read, until it is read: %s",
  async (name, type, mail) => {
    await eventFrom(20, type, mail);
    await othersRead(name);
    expect(await worker()).toEqual(well);
    await eventFrom(30, type, mail);
    await readers[name]();
    await eventFrom(90, type, mail);
    await othersRead(name);
    expect(await worker()).toEqual(late);
    await readers[name]();
    expect(await worker()).toEqual(well);
  },
);

test.each([
  ["webhooks", "package.created", null],
  ["subscriptions", "payment.failed", null],
  ["mail", "payment_link.created", "payment_link"],
] as const)(
  "the reader of %s is late too when it has never come to begin",
  async (name, type, mail) => {
    await eventFrom(90, type, mail);
    await othersRead(name);
    expect(await worker()).toEqual(late);
  },
);

test("what a reader does not follow does not make it late", async () => {
  await eventFrom(90, "package.created");
  expect(await worker()).toEqual(late);
  await readers.webhooks();
  expect(await worker()).toEqual(well);
});

test("a link whose time is over is late when nobody expires it; one with a payer at the gateway waits for that attempt", async () => {
  const [over, held] = [await newLink(shop), await newLink(shop)];
  await press(shop, held._id);
  await db.execute(
    sql`update payment_links set expires_at = now() - interval '90 seconds' where id = ${held._id}`,
  );
  expect(await worker()).toEqual(well);
  await db.execute(
    sql`update payment_links set expires_at = now() - interval '90 seconds' where id = ${over._id}`,
  );
  expect(await worker()).toEqual(late);
  await expire(shop.ctx, over._id);
  expect(await worker()).toEqual(well);
});

test("a token whose time is over is late when nobody expires it", async () => {
  const { _id } = await createToken(shop.ctx, {
    email: "payer@example.com",
    title: "Membership",
    description: "Renewed every month",
  });
  await db.execute(
    sql`update tokenizations set expires_at = now() - interval '90 seconds' where id = ${_id}`,
  );
  expect(await worker()).toEqual(late);
  await expireDue("health-test");
  expect(await worker()).toEqual(well);
});
