import { eq, inArray, sql } from "drizzle-orm";
import { afterAll, expect, it } from "vitest";
import { closePool, db } from "@/db/client";
import { testClocks } from "@/db/schema/test-clocks";
import { defineAdvances } from "@/lib/flows/clock-advance/job";
import { advance, cancelAdvance, removeClock, startAdvance } from "@/lib/flows/clock-advance/steps";
import type { Claim, Ctx } from "@/lib/domain/context";
import { claimKey } from "@/lib/domain/idempotency/claim";
import { get as getClock } from "@/lib/domain/test-clocks/get";
import { list } from "@/lib/domain/test-clocks/list";
import { create as createLink } from "@/lib/domain/payment-links/create";
import { get } from "@/lib/domain/subscriptions/get";
import { dueAdvances, giveClockBack, takeClock } from "@/lib/domain/test-clocks/rows";
import { outcomes } from "@/lib/flows/renewal/job";
import { script } from "@/lib/gateways/simulator/scripting";
import { choose, paymentsOf, press, type Shop } from "./setting";
import {
  advanceTo,
  assertPeriodsAgree,
  becomes,
  follow,
  newClock,
  newShopIn,
  saveMethod,
  subscribe,
  workAdvance,
} from "./subscription-setting";
import { claimOf, runOnce } from "../run-once";

afterAll(closePool);

const micros = (moment: string) => `${moment}.000000Z`;
const slice = (shop: Shop, slicePeriods: number, pauseAfter?: number) =>
  runOnce(
    defineAdvances({
      slicePeriods,
      sliceMs: 60_000,
      ...(pauseAfter === undefined ? {} : { pauseAfter }),
    }),
    shop.ctx.businessId,
  );

/** A shop with a clock that a daily subscription follows. */
async function daily(): Promise<{ shop: Shop; clock: string }> {
  const shop = await newShopIn("UTC");
  const clock = await newClock(shop, "2027-01-01T10:00:00");
  await saveMethod(shop);
  await subscribe(shop, { frequency: "daily" }, clock);
  return { shop, clock };
}

it("a call that waits in vain answers how far the advance has come; it goes on without the caller, slice by slice", async () => {
  const { shop, clock } = await daily();
  const began = await advance(shop.ctx, clock, micros("2027-01-11T10:00:00"), 0);
  expect(began).toMatchObject({
    status: "advancing",
    now: micros("2027-01-01T10:00:00"),
    advancing_to: micros("2027-01-11T10:00:00"),
    advanced_to: micros("2027-01-01T10:00:00"),
    progress: 0,
  });
  await slice(shop, 5);
  expect(await getClock(shop.ctx, clock)).toMatchObject({
    status: "advancing",
    advanced_to: micros("2027-01-05T00:00:00"),
    progress: 35,
  });
  expect((await list(shop.ctx, { status: "advancing" }, new URLSearchParams())).data).toHaveLength(
    1,
  );
  await workAdvance(shop, clock);
  expect(await getClock(shop.ctx, clock)).toMatchObject({
    status: "ready",
    now: micros("2027-01-11T10:00:00"),
    advancing_to: null,
    advanced_to: null,
    progress: null,
  });
  expect(await paymentsOf(shop)).toHaveLength(11);
  await assertPeriodsAgree(shop);
});

it("a call that waits answers as the finished clock", async () => {
  const { shop, clock } = await daily();
  const answer = advance(shop.ctx, clock, micros("2027-01-03T10:00:00"), 60_000);
  await expect
    .poll(async () => (await getClock(shop.ctx, clock)).status, { interval: 5 })
    .toBe("advancing");
  await workAdvance(shop, clock);
  expect(await answer).toMatchObject({ status: "ready", now: micros("2027-01-03T10:00:00") });
});

it("a caller that disconnects ends its wait, not the advance", async () => {
  const { shop, clock } = await daily();
  const ctx = { ...shop.ctx, disconnected: () => AbortSignal.abort() };
  const answer = await advance(ctx, clock, micros("2027-01-03T10:00:00"), 60_000);
  expect(answer.status).toBe("advancing");
  await workAdvance(shop, clock);
  expect(await paymentsOf(shop)).toHaveLength(3);
});

it("the same request again, after its process died, waits for the advance that it requested", async () => {
  const { shop, clock } = await daily();
  const to = micros("2027-01-03T10:00:00");
  const claimed = async (): Promise<Ctx> => ({
    ...shop.ctx,
    claim: (await claimKey(shop.ctx, "k", "POST", `/test-clocks/${clock}/advance`, to)) as Claim,
  });
  await startAdvance(await claimed(), clock, to);
  await db.execute(
    sql`update idempotency_keys set locked_until = now() where business_id = ${shop.ctx.businessId}`,
  );
  const again = await claimed();
  expect(await advance(again, clock, to, 0)).toMatchObject({ status: "advancing" });
  await workAdvance(shop, clock);
  expect(await advance(again, clock, to)).toMatchObject({ status: "ready", now: to });
  expect(await paymentsOf(shop)).toHaveLength(3);
});

it("an advance whose worker died in a slice is taken over when its lease ends; the dead one's fence does nothing more", async () => {
  const { shop, clock } = await daily();
  await startAdvance(shop.ctx, clock, micros("2027-01-04T10:00:00"));
  const [dead] = await claimOf(dueAdvances, shop.ctx.businessId);
  expect(dead?.id).toBe(clock);
  expect(await slice(shop, 50)).toBe(0);
  await db.update(testClocks).set({ leasedUntil: sql`now()` }).where(eq(testClocks.id, clock));
  await workAdvance(shop, clock);
  expect(await paymentsOf(shop)).toHaveLength(4);
  await assertPeriodsAgree(shop);
});

it("a second advance is refused while one is under way; it pauses after so many periods and goes on when advanced again", async () => {
  const { shop, clock } = await daily();
  const to = micros("2027-01-10T10:00:00");
  await startAdvance(shop.ctx, clock, to);
  await expect(startAdvance(shop.ctx, clock, to)).rejects.toMatchObject({ status: 409 });
  await slice(shop, 3, 4);
  await slice(shop, 3, 4);
  expect(await getClock(shop.ctx, clock)).toMatchObject({ status: "paused", advancing_to: to });
  expect(await paymentsOf(shop)).toHaveLength(4);
  expect(await slice(shop, 3)).toBe(0);
  await advanceTo(shop, clock, to.slice(0, 19));
  expect(await getClock(shop.ctx, clock)).toMatchObject({ status: "ready", now: to });
  expect(await paymentsOf(shop)).toHaveLength(10);
});

it("cancelling ends an advance where it has come to, also within a slice; without one nothing changes", async () => {
  const { shop, clock } = await daily();
  await startAdvance(shop.ctx, clock, micros("2999-12-31T00:00:00"));
  const running = slice(shop, 10_000);
  await expect
    .poll(async () => (await paymentsOf(shop)).length, { timeout: 60_000 })
    .toBeGreaterThan(2);
  expect(await cancelAdvance(shop.ctx, clock)).toMatchObject({ status: "ready", progress: null });
  await running;
  const { now } = await getClock(shop.ctx, clock);
  expect(now < micros("2028-01-01T00:00:00")).toBe(true);
  expect(await slice(shop, 1)).toBe(0);
  expect(await cancelAdvance(shop.ctx, clock)).toMatchObject({ status: "ready", now });
  await advanceTo(shop, clock, now.slice(0, 19));
  await assertPeriodsAgree(shop);
});

it("deleting a clock ends its advance and cancels what follows it", async () => {
  const { shop, clock } = await daily();
  await startAdvance(shop.ctx, clock, micros("2999-12-31T00:00:00"));
  await slice(shop, 2);
  await removeClock(shop.ctx, clock);
  expect(await slice(shop, 2)).toBe(0);
  await expect(getClock(shop.ctx, clock)).rejects.toMatchObject({ status: 404 });
});

it("one advance of a business runs at a time, in the order they were requested; another business does not wait", async () => {
  const [{ shop, clock }, other] = [await daily(), await daily()];
  const second = await newClock(shop, "2027-01-01T10:00:00");
  await startAdvance(shop.ctx, clock, micros("2027-01-03T10:00:00"));
  await startAdvance(shop.ctx, second, micros("2027-01-03T10:00:00"));
  await startAdvance(other.shop.ctx, other.clock, micros("2027-01-03T10:00:00"));
  const claimed = [
    ...(await claimOf(dueAdvances, shop.ctx.businessId)),
    ...(await claimOf(dueAdvances, other.shop.ctx.businessId)),
  ];
  expect(new Set(claimed.map(({ id }) => id))).toEqual(new Set([clock, other.clock]));
  await db
    .update(testClocks)
    .set({ leasedUntil: null })

    .where(inArray(testClocks.id, [clock, other.clock]));
  await workAdvance(shop, clock);
  expect(await getClock(shop.ctx, second)).toMatchObject({ status: "advancing" });
  await workAdvance(shop, second);
  expect(await getClock(shop.ctx, second)).toMatchObject({ status: "ready" });
  await workAdvance(other.shop, other.clock);
});

async function payLink(shop: Shop, id: string): Promise<void> {
  const [link] = (await get(shop.ctx, id)).payment_links;
  await choose(shop, (await press(shop, link?._id ?? "")) ?? "", "approve");
}

/** Subscriptions of one clock, each with an open link. */
async function waiting(count: number) {
  const shop = await newShopIn("UTC");
  const clock = await newClock(shop, "2027-01-01T10:00:00");
  const ids: string[] = [];
  for (let made = 0; made < count; made++) ids.push((await subscribe(shop, {}, clock))._id);
  await advanceTo(shop, clock, "2027-01-01T10:00:00");
  /** Its payer pays the link, and a worker consumes that. */
  const pays = async (id: string) => {
    await payLink(shop, id);
    await follow(shop);
  };
  return { shop, clock, ids, pays };
}

it("a link that is paid within a slice of an advance brings its subscription on, also when the advance is cancelled then", async () => {
  const { shop, clock, ids, pays } = await waiting(1);
  const [id = ""] = ids;
  await startAdvance(shop.ctx, clock, micros("2027-01-03T10:00:00"));
  const claimed = await claimOf(dueAdvances, shop.ctx.businessId);
  await pays(id);
  await cancelAdvance(shop.ctx, clock);
  expect((await get(shop.ctx, id)).status).toBe("created");
  await defineAdvances().work(claimed, {
    requestId: "test",
    stopping: new AbortController().signal,
  });
  expect(await get(shop.ctx, id)).toMatchObject({ status: "active" });
  expect(await getClock(shop.ctx, clock)).toMatchObject({ now: micros("2027-01-01T10:00:00") });
});

it("a link that is paid while another run has the clock brings its subscription on with the next one", async () => {
  const { shop, clock, ids, pays } = await waiting(2);
  const [first = "", second = ""] = ids;
  const held = await takeClock(shop.ctx, db, clock);
  if (!held) throw new Error("the clock was not free");
  await pays(first);
  await giveClockBack(shop.ctx, db, held);
  await pays(second);
  await becomes(shop, second, "active");
  await becomes(shop, first, "active");
});

it("what has news is run without an advance, and nothing that only is due by the clock's time", async () => {
  const { shop, clock, ids, pays } = await waiting(1);
  const { _id: fresh } = await subscribe(shop, {}, clock);
  await pays(ids[0] ?? "");
  await becomes(shop, ids[0] ?? "", "active");
  expect((await get(shop.ctx, fresh)).payment_links).toEqual([]);
});

it("a clock that cannot be deleted since a payer is at the gateway is free again at once", async () => {
  const shop = await newShopIn("UTC");
  const clock = await newClock(shop, "2027-01-01T10:00:00");
  const { _id } = await createLink(shop.ctx, {
    email: "payer@example.com",
    currency: "MYR",
    amount: 1_250,
    title: "Satay for two",
    send_email: false,
    test_clock_id: clock,
  });
  await press(shop, _id);
  await script(shop.account.connection.id, "cancel", "error", { times: 10 });
  await expect(removeClock(shop.ctx, clock)).rejects.toMatchObject({ status: 409 });
  expect(await takeClock(shop.ctx, db, clock)).toBeDefined();
});

const ways: [string, (shop: Shop, id: string) => Promise<unknown>][] = [
  ["paid", payLink],
  ["given a saved method", (shop) => saveMethod(shop)],
];
it.each(ways)(
  "a subscription that was %s is brought on though its clock could not be taken at first",
  async (_, act) => {
    const { shop, clock, ids } = await waiting(1);
    const [id = ""] = ids;
    await db.execute(sql`create function refuse_clock() returns trigger language plpgsql as
      $$ begin raise exception 'refused'; end $$`);
    await db.execute(
      sql.raw(`create trigger refuse_clock before update on test_clocks for each row
        when (new.id = '${clock}') execute function refuse_clock()`),
    );
    try {
      await act(shop, id);
      await runOnce(outcomes, shop.ctx.businessId);
      expect((await get(shop.ctx, id)).status).toBe("created");
    } finally {
      await db.execute(sql`drop function refuse_clock cascade`);
    }
    // The pause after a failure is over.
    await db.execute(
      sql`update event_queue set leased_until = null where business_id = ${shop.ctx.businessId}`,
    );
    await becomes(shop, id, "active");
  },
);
