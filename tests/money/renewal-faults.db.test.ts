import { sql } from "drizzle-orm";
import fc from "fast-check";
import { once } from "node:events";
import { afterAll, beforeAll, expect, it } from "vitest";
import { closePool, db } from "@/db/client";
import { reconcile } from "@/lib/flows/charge/reconcile";
import { isLive } from "@/lib/domain/payments/rules";
import { renewal } from "@/lib/flows/renewal/job";
import { get } from "@/lib/domain/subscriptions/get";
import { remove } from "@/lib/flows/subscription-change/remove";
import { update } from "@/lib/flows/subscription-change/update";
import { list as listTokens } from "@/lib/domain/tokenizations/list";
import { revoke } from "@/lib/domain/tokenizations/revoke";
import { pressButton } from "@/lib/gateways/simulator/page";
import { journalOf, script } from "@/lib/gateways/simulator/scripting";
import { newId } from "@/lib/kernel/ids";
import { Problem } from "@/lib/kernel/problem";
import { program } from "./killed";
import {
  assertBooksAgree,
  comeBack,
  comeToRest,
  newShop,
  paymentsOf,
  press,
  type Shop,
} from "./setting";
import {
  assertPeriodsAgree,
  behave,
  chargesByPeriod,
  follow,
  newShopIn,
  passDays,
  periodsOf,
  saveMethod,
  subscribe,
  work,
} from "./subscription-setting";
import { runOnce } from "../run-once";

const child = program("renewal-child");
beforeAll(child.make);
afterAll(async () => {
  await child.remove();
  await closePool();
});

const step = process.env.KUTIP_CRASH_EVERY ? Number(process.env.KUTIP_CRASH_EVERY) : 8;
const chargesAt = async (shop: Shop) =>
  (await journalOf(shop.account.connection.id)).filter(({ type }) => type === "charge").length;

async function dueShop(): Promise<Shop> {
  const shop = await newShop();
  await saveMethod(shop);
  await subscribe(shop);
  return shop;
}

it("a renewal is charged once when its worker is killed at any moment", async () => {
  const first = await dueShop();
  const words = Number((await child.run(String(first.ctx.businessId))).out.replace("done ", ""));
  expect(words).toBeGreaterThan(30);
  await assertPeriodsAgree(first);
  const places = Array.from({ length: words }, (_, index) => index + 1).filter(
    (place) => place % step === words % step,
  );
  for (const [place, when] of places.flatMap(
    (place) =>
      [
        [place, "before"],
        [place, "after"],
      ] as const,
  )) {
    const shop = await dueShop();
    const end = await child.run(String(shop.ctx.businessId), String(place), when);
    expect(end.killed || place === words).toBe(true);
    // Its lease ends; other workers go on.
    await passDays(shop, 0);
    await comeToRest(shop);
    await work(shop);
    expect([place, when, await chargesAt(shop)]).toEqual([place, when, 1]);
    expect((await periodsOf(shop)).map(({ state }) => state)).toEqual(["paid", "due"]);
    await assertPeriodsAgree(shop);
  }
}, 300_000);

it("workers killed again and again among many renewals charge each once", async () => {
  const shop = await newShop();
  for (let payer = 0; payer < 60; payer++) {
    const email = `${newId()}@example.com`;
    await saveMethod(shop, "works", email);
    await subscribe(shop, {}, undefined, email);
  }
  const workers = Array.from({ length: 2 }, () => child.start(String(shop.ctx.businessId), "on"));
  for (let kills = 0; kills < 3; kills++) {
    const enough = Math.min((await chargesAt(shop)) + 5, 59);
    // Those that a killed worker was sending are looked up at the end: until then there may be no more charges to wait for.
    await expect
      .poll(
        async () => (await chargesAt(shop)) > enough || (await paymentsOf(shop)).length === 60,
        { timeout: 240_000, interval: 20 },
      )
      .toBe(true);
    const worker = workers.shift();
    worker?.kill("SIGKILL");
    // What it had claimed and not started is free, as after its last heartbeat.
    await db.execute(
      sql`update subscription_periods set leased_until = now() where business_id = ${shop.ctx.businessId} and state = 'due'`,
    );
    workers.push(child.start(String(shop.ctx.businessId), "on"));
  }
  const ends = workers.map((worker) => once(worker, "exit"));
  for (const worker of workers) worker.kill("SIGKILL");
  await Promise.all(ends);
  await passDays(shop, 0);
  await comeToRest(shop);
  await work(shop);
  expect(await chargesAt(shop)).toBe(60);
  await assertPeriodsAgree(shop);
}, 1_200_000);

type World = { shop: Shop; id: string; method: string; sessions: string[] };
const openLink = async ({ shop, id }: World) =>
  (await get(shop.ctx, id)).payment_links.find((link) => link.status === "Active")?._id;

const acts = {
  work: ({ shop }: World) => runOnce(renewal, shop.ctx.businessId),
  follow: ({ shop }: World) => follow(shop),
  day: ({ shop }: World) => passDays(shop, 1),
  declines: (world: World) => behave(world.shop, world.method, "declines", 1),
  pending: (world: World) => behave(world.shop, world.method, "pending"),
  saveAnother: async (world: World) => {
    world.method = await saveMethod(world.shop);
  },
  revoke: async ({ shop }: World) => {
    const token = (await listTokens(shop.ctx, {}, new URLSearchParams())).data.find(
      ({ status }) => status === "active",
    );
    if (token) await refusable(() => revoke(shop.ctx, token._id));
  },
  press: async (world: World) => {
    const link = await refusable(() => openLink(world));
    const session = link && (await press(world.shop, link));
    if (session) world.sessions.push(session);
  },
  approve: async (world: World) => {
    const session = world.sessions.at(-1);
    if (session) await pressButton(session, "approve", "1");
  },
  comeBack: async (world: World) => {
    for (const session of world.sessions) await comeBack(world.shop, session);
  },
  answerLost: ({ shop }: World) => script(shop.account.connection.id, "charge", "reset"),
  gatewayAway: ({ shop }: World) => script(shop.account.connection.id, "charge", "error"),
  reconcile: async ({ shop }: World) => {
    for (const payment of await paymentsOf(shop))
      if (isLive(payment.status)) await reconcile(shop.ctx, payment);
  },
  cancel: ({ shop, id }: World) => refusable(() => update(shop.ctx, id, { status: "cancel" })),
  remove: ({ shop, id }: World) => refusable(() => remove(shop.ctx, id)),
};
type Act = keyof typeof acts;

/** A refusal is a right answer; anything else that is thrown is a fault. */
async function refusable<T>(act: () => Promise<T>): Promise<T | undefined> {
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof Problem) || ![404, 409].includes(error.status)) throw error;
    return undefined;
  }
}

const stateOf = async (world: World) => {
  const { rows } = await db.execute<{ over: boolean }>(
    sql`select status = 'cancel' or deleted_at is not null as over from subscriptions where id = ${world.id}`,
  );
  return {
    over: rows[0]?.over ?? false,
    payments: (await paymentsOf(world.shop)).map(({ id }) => id),
  };
};

it("whatever workers, payers, staff, gateway and reconciler do at the same moments: a period is charged at most once, and nothing begins after the end", async () => {
  const often: Act[] = ["work", "work", "work", "follow", "day"];
  const names = [
    ...often,
    ...(Object.keys(acts) as Act[]).filter((name) => name !== "cancel" && name !== "remove"),
  ];
  const steps = fc.array(fc.array(fc.constantFrom(...names), { minLength: 1, maxLength: 3 }), {
    minLength: 2,
    maxLength: 7,
  });
  const ends = fc.constantFrom<Act>("cancel", "remove", "work");
  await fc.assert(
    fc.asyncProperty(steps, ends, steps, async (plan, end, rest) => {
      const shop = await newShopIn("UTC");
      const world: World = { shop, id: "", method: await saveMethod(shop), sessions: [] };
      world.id = (await subscribe(shop, { frequency: "daily" }))._id;
      for (const step of plan) await Promise.all(step.map((name) => acts[name](world)));
      await Promise.all([acts.work(world), acts[end](world), acts.comeBack(world)]);
      const then = await stateOf(world);
      for (const step of rest) await Promise.all(step.map((name) => acts[name](world)));
      await comeToRest(shop);
      await passDays(shop, 0);
      await work(shop);
      await comeToRest(shop);
      await follow(shop);
      if (then.over) expect((await stateOf(world)).payments).toEqual(then.payments);
      expect(Object.values(await chargesByPeriod(shop)).every((count) => count === 1)).toBe(true);
      await assertBooksAgree(shop);
    }),
    { numRuns: Number(process.env.KUTIP_INTERLEAVINGS ?? 40) },
  );
}, 300_000);

it("a period with a link that was paid just before the subscription ended stays paid", async () => {
  const shop = await newShopIn("UTC");
  const world: World = { shop, id: (await subscribe(shop))._id, method: "", sessions: [] };
  await acts.work(world);
  await acts.press(world);
  await acts.approve(world);
  await acts.comeBack(world);
  await acts.cancel(world);
  expect((await periodsOf(shop)).map(({ state }) => state)).toEqual(["paid"]);
  await follow(shop);
  expect((await paymentsOf(shop)).map(({ status, flags }) => [status, flags])).toEqual([
    ["succeeded", []],
  ]);
  await assertPeriodsAgree(shop);
});

it("a payment that was pending when the subscription ended pays its link and period when it succeeds", async () => {
  const shop = await newShopIn("UTC");
  const world: World = { shop, id: (await subscribe(shop))._id, method: "", sessions: [] };
  await acts.work(world);
  await acts.press(world);
  await pressButton(world.sessions[0] ?? "", "approve_later", "1");
  await acts.comeBack(world);
  await acts.cancel(world);
  expect((await periodsOf(shop)).map(({ state }) => state)).toEqual(["void"]);
  await comeToRest(shop);
  await follow(shop);
  expect((await paymentsOf(shop)).map(({ status, flags }) => [status, flags])).toEqual([
    ["succeeded", []],
  ]);
  expect((await periodsOf(shop)).map(({ state }) => state)).toEqual(["paid"]);
  await assertPeriodsAgree(shop);
});
