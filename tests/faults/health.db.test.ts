import { randomBytes } from "node:crypto";
import { sql } from "drizzle-orm";
import { beforeEach, expect, test } from "vitest";
import { db, pool } from "@/db/client";
import { eventHorizon } from "@/db/event-horizon";
import { fairWork } from "@/lib/domain/fair-work";
import { secondsSinceProgress } from "@/lib/domain/progress";
import { collectMails } from "@/lib/domain/mails/outbox";
import { expire } from "@/lib/domain/payment-links/expire";
import { followEvents } from "@/lib/domain/subscriptions/engine/follow";
import { create as createToken } from "@/lib/domain/tokenizations/create";
import { expireDue } from "@/lib/domain/tokenizations/expire";
import { fanOut } from "@/lib/domain/webhooks/engine/fan-out";
import { health } from "@/lib/http/health";
import { unscopedBeat, unscopedSecondsSinceSeen } from "@/lib/worker/rows";
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

/** An event that was written so long ago: its id begins with its second. A transaction of this database may hold it back for a moment. */
async function eventFrom(
  secondsAgo: number,
  type: string,
  mail: string | null = null,
  readable = true,
): Promise<void> {
  const id = `${Math.floor(Date.now() / 1_000 - secondsAgo).toString(16)}${randomBytes(8).toString("hex")}`;
  const data = JSON.stringify({ email: "payer@example.com" });
  await db.execute(sql`insert into events (business_id, mode, id, type, object_id, data, actor, mail)
    values (${shop.ctx.businessId}, 'test', ${id}, ${type}, ${id}, ${data}::jsonb, '{"kind":"clock"}'::jsonb, ${mail})`);
  const count = async () =>
    (await db.execute(sql`select from events having bool_and(xid < ${eventHorizon})`)).rowCount;
  if (readable) await expect.poll(count, { timeout: 10_000, interval: 20 }).toBe(1);
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

test("what fails at every try is late although it is claimed again and again; a first try that goes on is not", async () => {
  await press(shop, (await newLink(shop))._id);
  const claimed = (fence: number) =>
    db.execute(
      sql`update payments set next_check_at = now() - interval '90 seconds', leased_until = now() + interval '1 minute', fence = ${fence}`,
    );
  await claimed(1);
  expect(await worker()).toEqual(well);
  await claimed(2);
  expect(await worker()).toEqual(late);
});

test("old work is a backlog while pieces of its kind are finished, and late when none is, whatever other kinds do", async () => {
  const over = await newLink(shop);
  await db.execute(
    sql`update payment_links set expires_at = now() - interval '1 hour' where id = ${over._id}`,
  );
  const beat = (secondsSince: Record<string, number>) =>
    unscopedBeat("health-test", process.pid, secondsSince);
  await beat({ link: 5 });
  expect(await worker()).toEqual(well);
  await beat({ link: 300 });
  expect(await worker()).toEqual(late);
  await beat({ link: 300, token: 1 });
  expect(await worker()).toEqual(late);
  await unscopedBeat("another", process.pid, { link: 5 });
  expect(await worker()).toEqual(well);
});

test("a piece counts as finished when it ends without an error", async () => {
  const rows = [{ businessId: 1, id: "a" }];
  const kinds = async (piece: string, work: () => Promise<unknown>) => {
    const { poll, drain } = fairWork({
      piece,
      claim: async () => rows,
      extend: async () => undefined,
      work,
    });
    await poll("health-test");
    await drain();
    return Object.keys(secondsSinceProgress());
  };
  expect(await kinds("well", async () => undefined)).toContain("well");
  expect(await kinds("failing", () => Promise.reject(new Error("no")))).not.toContain("failing");
});

test("a reader that an open transaction holds back is late, though it could read nothing", async () => {
  const holding = await pool().connect();
  try {
    await holding.query("begin");
    await holding.query("select pg_current_xact_id()");
    await eventFrom(90, "package.created", null, false);
    expect(await readers.webhooks()).toBe(0);
    expect(await worker()).toEqual(late);
    await holding.query("commit");
    expect(await readers.webhooks()).toBe(1);
    expect(await worker()).toEqual(well);
  } finally {
    holding.release();
  }
});

test("a worker's heartbeat is known by its process, and one that was never seen has none", async () => {
  expect(await unscopedSecondsSinceSeen(process.pid)).toBeLessThan(60);
  await db.execute(sql`update workers set seen_at = now() - interval '5 minutes'`);
  expect(await unscopedSecondsSinceSeen(process.pid)).toBeGreaterThan(60);
  expect(await unscopedSecondsSinceSeen(process.pid + 1)).toBeNull();
});
