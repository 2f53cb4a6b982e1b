import { sql } from "drizzle-orm";
import { beforeEach, expect, test } from "vitest";
import { db, pool } from "@/db/client";
import { progressOfJobs } from "@/lib/jobs/progress";
import { mailComposition } from "@/lib/flows/mailing/job";
import { linkExpiry, tokenExpiry } from "@/lib/flows/expiry/job";
import { outcomes } from "@/lib/flows/renewal/job";
import { create as createToken } from "@/lib/domain/tokenizations/create";
import { webhookFanOut } from "@/lib/flows/webhook-delivery/job";
import { health } from "@/lib/http/health";
import { unscopedSecondsSinceSeen } from "@/lib/jobs/seen-rows";
import { unscopedBeat } from "@/lib/jobs/workers-rows";
import { newLink, newShop, press, type Shop } from "../money/setting";
import { ownDatabaseEach } from "../own-database";
import { newId } from "@/lib/kernel/ids";
import { runOnce } from "../run-once";
import { unscopedCountBusinesses } from "@/lib/domain/businesses/rows";
import { unscopedWorkHealth } from "@/lib/jobs/health";
import { createRunner } from "@/lib/jobs/runner";
import { allJobs } from "@/lib/worker/all-jobs";

const consumers = { webhooks: webhookFanOut, subscriptions: outcomes, mail: mailComposition };
const consume = (name: keyof typeof consumers) => runOnce(consumers[name]);

// Health looks at the whole install, so each test has one of its own, with a worker that was just seen.
ownDatabaseEach();
let shop: Shop;
beforeEach(async () => {
  await unscopedBeat("health-test", process.pid);
  shop = await newShop();
});

/** An event that was written so long ago. */
async function eventFrom(
  secondsAgo: number,
  type: string,
  mail: string | null = null,
): Promise<void> {
  const id = newId();
  const data = JSON.stringify({ email: "payer@example.com" });
  await db.execute(sql`insert into events (business_id, mode, id, type, object_id, data, actor, mail)
    values (${shop.ctx.businessId}, 'test', ${id}, ${type}, ${id}, ${data}::jsonb, '{"kind":"clock"}'::jsonb, ${mail})`);
  await db.execute(
    sql`update event_queue set due_at = now() - make_interval(secs => ${secondsAgo}) where event_id = ${id}`,
  );
}

const worker = async () => {
  const answer = await health();
  return [answer.status, ((await answer.json()) as { worker: string }).worker];
};
const [well, late] = [
  [200, "ok"],
  [503, "late"],
];
const othersRead = async (name: keyof typeof consumers) => {
  for (const other of Object.keys(consumers) as (keyof typeof consumers)[])
    if (other !== name) await consume(other);
};

test("an install where nothing has happened is well, before and after its consumers run", async () => {
  expect(await worker()).toEqual(well);
  for (const name of Object.keys(consumers) as (keyof typeof consumers)[]) await consume(name);
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
    await consume(name);
    await eventFrom(90, type, mail);
    await othersRead(name);
    expect(await worker()).toEqual(late);
    await consume(name);
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
  await consume("webhooks");
  expect(await worker()).toEqual(well);
});

test("a link past its expiry is late work until it expires; one with a payer at the gateway waits for that attempt", async () => {
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
  await runOnce(linkExpiry);
  expect(await worker()).toEqual(well);
});

test("a token past its expiry is late work until it expires", async () => {
  const { _id } = await createToken(shop.ctx, {
    email: "payer@example.com",
    title: "Membership",
    description: "Renewed every month",
  });
  await db.execute(
    sql`update tokenizations set expires_at = now() - interval '90 seconds' where id = ${_id}`,
  );
  expect(await worker()).toEqual(late);
  await runOnce(tokenExpiry);
  expect(await worker()).toEqual(well);
});

test("what fails is late although it waits for its next try; a first try that goes on is not", async () => {
  await press(shop, (await newLink(shop))._id);
  const claimed = (failures: number) =>
    db.execute(
      sql`update payments set next_check_at = now() - interval '90 seconds', leased_until = now() + interval '1 minute', failures = ${failures}`,
    );
  await claimed(0);
  expect(await worker()).toEqual(well);
  await claimed(1);
  expect(await worker()).toEqual(late);
});

const beat = (job: string, secondsAgo: number, perSecond: number, worker = "health-test") =>
  unscopedBeat(worker, process.pid, { [job]: { secondsAgo, perSecond } });
const overdueLinks = async (of: Shop, count: number): Promise<void> => {
  for (let made = 0; made < count; made++) {
    const { _id } = await newLink(of);
    await db.execute(
      sql`update payment_links set expires_at = now() - interval '1 hour' where id = ${_id}`,
    );
  }
};
/** The work of this shop was tried, and failed. */
const fail = ({ ctx }: Shop) =>
  db.execute(sql`update payment_links set failures = 3 where business_id = ${ctx.businessId}`);
const workOf = async (name: string) => {
  const { jobs } = await unscopedWorkHealth(allJobs.jobs, await unscopedCountBusinesses());
  return jobs.find((job) => job.name === name);
};

test("a large backlog that moves is no failure, and one that has stopped is late, whatever other kinds do", async () => {
  await overdueLinks(shop, 40);
  await beat(linkExpiry.name, 5, 1);
  expect(await worker()).toEqual(well);
  await beat(linkExpiry.name, 300, 0);
  expect(await worker()).toEqual(late);
  await beat(tokenExpiry.name, 1, 1);
  expect(await worker()).toEqual(late);
  await beat(linkExpiry.name, 5, 1, "another");
  expect(await worker()).toEqual(well);
});

test("a backlog is late when the workers that are alive would not finish it within the hour", async () => {
  await overdueLinks(shop, 40);
  const perHour = (rows: number) => rows / 3_600;
  await beat(linkExpiry.name, 5, perHour(41));
  expect(await worker()).toEqual(well);
  await beat(linkExpiry.name, 5, perHour(39));
  expect(await worker()).toEqual(late);
  await beat(linkExpiry.name, 5, perHour(2), "another");
  expect(await worker()).toEqual(well);
  await db.execute(
    sql`update workers set seen_at = now() - interval '1 minute' where id = 'another'`,
  );
  expect(await worker()).toEqual(late);
  // One business of several that is slow alone, as its gateway's limit is low, is no failure of the install.
  const other = await newShop();
  expect(await worker()).toEqual(well);
  await overdueLinks(other, 1);
  expect(await worker()).toEqual(late);
});

test("one stuck tenant is named, and makes the install late only when the install has no other or more are stuck", async () => {
  await overdueLinks(shop, 2);
  await fail(shop);
  expect(await worker()).toEqual(late);
  const other = await newShop();
  expect(await worker()).toEqual(well);
  expect(await workOf(linkExpiry.name)).toMatchObject({
    late: false,
    stuck: [{ tenant: [shop.ctx.businessId], tried: true }],
  });
  // Work that no worker tries is late, even while another tenant is stuck.
  await overdueLinks(other, 1);
  expect(await worker()).toEqual(late);
  await fail(other);
  expect(await worker()).toEqual(late);
  await beat(linkExpiry.name, 5, 1);
  expect(await worker()).toEqual(well);
});

test("a tenant whose work hangs in a worker is stuck: its other rows wait for their turn", async () => {
  await newShop();
  await overdueLinks(shop, 2);
  expect(await worker()).toEqual(late);
  const { poll } = createRunner({
    ...linkExpiry,
    batch: 1,
    work: () => new Promise<never>(() => undefined),
  });
  expect(await poll("health-test")).toBe(1);
  expect(await worker()).toEqual(well);
  expect((await workOf(linkExpiry.name))?.stuck).toHaveLength(1);
});

test("a piece counts as finished when it ends without an error", async () => {
  const finished = async (name: string, work: () => Promise<unknown>) => {
    await newLink(shop);
    await db.execute(
      sql`update payment_links set expires_at = now() - interval '1 hour', leased_until = null`,
    );
    await runOnce({ ...linkExpiry, name, work });
    return Object.keys(progressOfJobs());
  };
  expect(await finished("well", async () => undefined)).toContain("well");
  expect(progressOfJobs().well).toEqual({
    secondsAgo: expect.any(Number),
    perSecond: expect.any(Number),
  });
  expect(progressOfJobs().well?.perSecond).toBeGreaterThan(0);
  expect(await finished("failing", () => Promise.reject(new Error("no")))).not.toContain("failing");
});

test("an open transaction that has written holds back no consumer", async () => {
  const holding = await pool().connect();
  try {
    await holding.query("begin");
    await holding.query("select pg_current_xact_id()");
    await eventFrom(90, "package.created");
    expect(await consume("webhooks")).toBe(1);
    expect(await worker()).toEqual(well);
  } finally {
    await holding.query("rollback");
    holding.release();
  }
});

test("the heartbeat of another host's worker with the same pid does not count for a silent worker", async () => {
  expect(await unscopedSecondsSinceSeen(pool(), "health-test")).toBeLessThan(60);
  await db.execute(sql`update workers set seen_at = now() - interval '5 minutes'`);
  await unscopedBeat("of another host", process.pid);
  expect(await unscopedSecondsSinceSeen(pool(), "health-test")).toBeGreaterThan(60);
  expect(await unscopedSecondsSinceSeen(pool(), "never seen")).toBeNull();
});
