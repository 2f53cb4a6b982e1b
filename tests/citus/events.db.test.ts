import { asc, eq } from "drizzle-orm";
import { afterEach, expect, test, vi } from "vitest";
import { db } from "@/db/client";
import { newTransactionId } from "@/db/event-horizon";
import { hasFutureEvents } from "@/db/events-order";
import { isDistributed } from "@/db/distributed";
import { events } from "@/db/schema/events";
import { eventsAfter } from "@/lib/domain/events/rows";
import { newLink, newShop } from "../money/setting";
import { ownDatabaseEach } from "../own-database";

vi.mock(import("@/db/distributed"), { spy: true });
ownDatabaseEach();
afterEach(() => {
  vi.mocked(isDistributed).mockReset();
});

const BEFORE = 2_000;

/** Brings the server that `DATABASE_URL` names further than others, as its own tables do in a real install. */
async function countOn(): Promise<void> {
  for (let at = 0; at < BEFORE; at++) await newTransactionId();
}

test("the log by position has all events of a business, in their order, and none counts as another server's", async () => {
  await countOn();
  const shop = await newShop();
  for (let at = 0; at < 3; at++) await newLink(shop);
  const all = await db
    .select()
    .from(events)
    .where(eq(events.businessId, shop.ctx.businessId))
    .orderBy(asc(events.seq));
  const [first, ...others] = all;
  if (!first) throw new Error("no events");
  expect(others.length).toBeGreaterThanOrEqual(2);
  const after = await eventsAfter(shop.ctx, {}, first, 100);
  expect(after.map(({ id }) => id)).toEqual(others.map(({ id }) => id));
  expect(await hasFutureEvents()).toBe(false);
});

test.skipIf(process.env.TEST_CITUS_URL)(
  "on several servers an event of a transaction that is under way waits too, and no number of a transaction counts as another server's",
  async () => {
    vi.mocked(isDistributed).mockResolvedValue(true);
    const shop = await newShop();
    await newLink(shop);
    const [first] = await db
      .select()
      .from(events)
      .where(eq(events.businessId, shop.ctx.businessId))
      .orderBy(asc(events.seq));
    if (!first) throw new Error("no events");
    const ids = async () => (await eventsAfter(shop.ctx, {}, first, 100)).map(({ id }) => id);
    await db.transaction(async (tx) => {
      await newTransactionId(tx);
      await newLink(shop);
      expect(await ids()).toEqual([]);
    });
    expect(await ids()).toHaveLength(1);
    await db
      .update(events)
      .set({ xid: "4000000000" })
      .where(eq(events.businessId, shop.ctx.businessId));
    expect(await hasFutureEvents()).toBe(false);
  },
);
