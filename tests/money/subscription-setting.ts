import { sql } from "drizzle-orm";
import { expect } from "vitest";
import { db } from "@/db/client";
import type { PackageInput } from "@/lib/contract/packages";
import type { Subscription } from "@/lib/contract/subscriptions";
import { createBusiness } from "@/lib/domain/businesses/create";
import { resolveGateway } from "@/lib/domain/gateway-connections/account";
import { systemCtx } from "@/lib/domain/context";
import { create as createPackage } from "@/lib/domain/packages/create";
import { advances } from "@/lib/flows/clock-advance/job";
import { startAdvance } from "@/lib/flows/clock-advance/steps";
import { create } from "@/lib/domain/subscriptions/create";
import { get } from "@/lib/domain/subscriptions/get";
import { create as createClock } from "@/lib/domain/test-clocks/create";
import { get as getClock } from "@/lib/domain/test-clocks/get";
import { begin } from "@/lib/flows/activation/steps";
import { create as createToken } from "@/lib/domain/tokenizations/create";
import { settleActivation } from "@/lib/flows/activation/settle";
import type { Behaviour } from "@/lib/gateways/simulator/rules";
import {
  journalOf,
  saveScriptedMethod,
  setMethodBehaviour,
} from "@/lib/gateways/simulator/scripting";
import { assertBooksAgree, type Shop } from "./setting";
import { outcomes, renewal } from "@/lib/flows/renewal/job";
import { runOnce } from "../run-once";

export const payer = "payer@example.com";
export const terms = {
  name: "Membership",
  amount: 1_250,
  currency: "MYR",
  frequency: "monthly",
  date_charge_start: "2020-01-01",
} as const;

export async function newShopIn(timeZone: string): Promise<Shop> {
  const business = await createBusiness({ name: "Night Market", timeZone });
  const ctx = systemCtx(
    { businessId: business.id, mode: "test" },
    { kind: "operator" },
    "subscription-test",
  );
  return { ctx, account: await resolveGateway(ctx) };
}

/** A payer is about to save a method that behaves so. Returns what saves it, which returns its id at the gateway. */
export async function startSaving(
  shop: Shop,
  behaviour: Behaviour = "works",
  email = payer,
): Promise<() => Promise<string>> {
  const { _id, token } = await createToken(shop.ctx, {
    email,
    title: "Membership",
    description: "Renewed every month",
  });
  await begin(token, "test");
  const id = await saveScriptedMethod(shop.account.connection, behaviour);
  return async () => {
    await settleActivation(shop.ctx, _id, 1, {
      kind: "saved",
      gatewayId: "g",
      method: { id, card: { brand: "visa", last4: "4242", exp: "01/2040" } },
    });
    return id;
  };
}

/** The payer saves a method that behaves so. Returns its id at the gateway. */
export async function saveMethod(
  shop: Shop,
  behaviour?: Behaviour,
  email?: string,
): Promise<string> {
  const save = await startSaving(shop, behaviour, email);
  return save();
}

export const behave = (shop: Shop, method: string, behaviour: Behaviour, declines = 1) =>
  setMethodBehaviour(shop.account.connection.id, method, behaviour, { declines });

export async function subscribe(
  shop: Shop,
  change: Partial<PackageInput> = {},
  clockId?: string,
  email = payer,
): Promise<Subscription> {
  const made = await createPackage(shop.ctx, { ...terms, ...change });
  return create(shop.ctx, {
    package_id: made._id,
    email,
    ...(clockId ? { test_clock_id: clockId } : {}),
  });
}

export const newClock = async (shop: Shop, now: string) =>
  (await createClock(shop.ctx, { name: "Test", now: `${now.slice(0, 19)}.000000Z` }))._id;
/** Advances a clock and does the worker's part of it, to the end. */
export async function advanceTo(shop: Shop, clockId: string, to: string): Promise<void> {
  await startAdvance(shop.ctx, clockId, `${to.slice(0, 19)}.000000Z`);
  await workAdvance(shop, clockId);
}

/** Works as workers would until the clock's advance has ended or is paused; another test's worker may hold the clock for a moment. */
export async function workAdvance(shop: Shop, clockId: string): Promise<void> {
  const step = async () => {
    await runOnce(advances, shop.ctx.businessId);
    return (await getClock(shop.ctx, clockId)).status;
  };
  await expect.poll(step, { timeout: 60_000, interval: 5 }).not.toBe("advancing");
}

/** What happened, in the order it was committed: moment to the minute, and type. */
export async function eventsOf(shop: Shop): Promise<string[]> {
  const { rows } = await db.execute<{ type: string; at: string }>(
    sql`select type, to_char(created_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI') as at from events where business_id = ${shop.ctx.businessId} and type not like 'package.%' and type not like 'tokenization.%' order by xid, seq`,
  );
  return rows.map(({ type, at }) => `${at} ${type}`);
}

export type PeriodSeen = {
  start: string;
  end: string;
  state: string;
  attempts: number;
  number: number;
};

export async function periodsOf(shop: Shop, subscriptionId?: string): Promise<PeriodSeen[]> {
  const { rows } = await db.execute<PeriodSeen>(
    sql`select period_start as start, period_end as end, state, attempts, number from subscription_periods
        where business_id = ${shop.ctx.businessId} and (${subscriptionId ?? null}::text is null or subscription_id = ${subscriptionId ?? null}) order by subscription_id, number`,
  );
  return rows;
}

/** The real clock does not wait for tests: everything planned moves back by so many days instead. */
export async function passDays(shop: Shop, days: number): Promise<void> {
  const back = (column: string) =>
    sql`${sql.identifier(column)} = (select ${sql.identifier(column)} - make_interval(secs => ${days * 86_400}))`;
  await db.execute(sql`
    update subscription_periods set ${back("next_attempt_at")}, ${back("retry_at")}, ${back("overdue_at")}, ${back("first_failed_at")},
      leased_until = null
    where business_id = ${shop.ctx.businessId}`);
  // What a worker that was killed had claimed is free by then.
  await db.execute(
    sql`update event_queue set leased_until = null where business_id = ${shop.ctx.businessId}`,
  );
}

/** Does all that is due of a shop by the real clock, as workers would. */
export async function work(shop: Shop): Promise<void> {
  for (;;) {
    await follow(shop);
    await atRest(shop);
    if ((await runOnce(renewal, shop.ctx.businessId)) === 0) return;
  }
}

/** Until no period is in anybody's hands: what wakes one may have been followed by another test's worker. */
async function atRest(shop: Shop): Promise<void> {
  await expect
    .poll(
      async () => {
        const { rows } = await db.execute<{ held: number }>(
          sql`select count(*)::int as held from subscription_periods where business_id = ${shop.ctx.businessId} and leased_until > now()`,
        );
        return rows[0]?.held;
      },
      { timeout: 60_000, interval: 20 },
    )
    .toBe(0);
}

/** Until everything this shop has done is followed; other shops' transactions may hold the order back for a moment. */
export async function follow(shop: Shop): Promise<void> {
  await expect
    .poll(
      async () => {
        await runOnce(outcomes, shop.ctx.businessId);
        const { rows } = await db.execute<{ left: number }>(
          sql`select count(*)::int as left from event_queue where consumer = 'subscriptions' and business_id = ${shop.ctx.businessId}`,
        );
        return rows[0]?.left;
      },
      { timeout: 15_000, interval: 20 },
    )
    .toBe(0);
}

/** Waits for a status that a worker of another test may be bringing about just now. */
export async function becomes(
  shop: Shop,
  id: string,
  status: Subscription["status"],
): Promise<Subscription> {
  await follow(shop);
  await expect
    .poll(async () => (await get(shop.ctx, id)).status, { timeout: 15_000, interval: 20 })
    .toBe(status);
  return get(shop.ctx, id);
}

/** Money taken at the gateway, by period: more than one for a period is what must never be. */
export async function chargesByPeriod(shop: Shop): Promise<Record<string, number>> {
  const journal = (await journalOf(shop.account.connection.id)).filter(
    (entry) => entry.type === "charge",
  );
  const { rows } = await db.execute<{ id: string; period: string }>(
    sql`select id, subscription_id || ' ' || period_start as period from payments where business_id = ${shop.ctx.businessId} and subscription_id is not null`,
  );
  const periods = new Map(rows.map(({ id, period }) => [id, period]));
  const counts: Record<string, number> = {};
  for (const { reference } of journal)
    counts[periods.get(reference) ?? "unknown"] =
      (counts[periods.get(reference) ?? "unknown"] ?? 0) + 1;
  return counts;
}

/** What must hold whenever nothing is under way: the books agree, and no period was charged twice or is paid without a charge. */
export async function assertPeriodsAgree(shop: Shop): Promise<void> {
  await assertBooksAgree(shop);
  const charges = await chargesByPeriod(shop);
  expect(Object.values(charges).every((count) => count === 1)).toBe(true);
  const { rows } = await db.execute<{ period: string; state: string }>(
    sql`select subscription_id || ' ' || period_start as period, state from subscription_periods where business_id = ${shop.ctx.businessId}`,
  );
  for (const { period, state } of rows)
    if (state !== "void") expect([period, state === "paid"]).toEqual([period, period in charges]);
}
