import { sql } from "drizzle-orm";
import { afterAll, afterEach, expect, it, vi } from "vitest";
import { closePool, db } from "@/db/client";
import { paymentLookUps } from "@/lib/flows/charge/job";
import { outcomes, renewal } from "@/lib/flows/renewal/job";
import type { Charge } from "@/lib/gateways/gateway";
import { simulatorGateway } from "@/lib/gateways/simulator/adapter";
import { dueAtOnce, figuresOf } from "@/scripts/prove/parts/renewals";
import { runAll, runOnce } from "../run-once";

afterAll(closePool);
afterEach(() => vi.restoreAllMocks());

/** How many payments of a business have each status. */
async function states(businessId: number): Promise<Record<string, number>> {
  const { rows } = await db.execute<{ status: string; n: number }>(
    sql`select status, count(*)::int as n from payments where business_id = ${businessId} group by 1`,
  );
  return Object.fromEntries(rows.map(({ status, n }) => [status, n]));
}

/** Lets the worker look after payments without an outcome now. */
async function lookUp(businessId: number): Promise<void> {
  await db.execute(
    sql`update payments set next_check_at = now() where business_id = ${businessId} and next_check_at is not null`,
  );
  await runAll(paymentLookUps, businessId);
}

it("an outcome that the database refuses fails alone: the others of its set are booked", async () => {
  const renewals = await dueAtOnce(8);
  const { charge } = simulatorGateway;
  let refused = "";
  vi.spyOn(simulatorGateway, "charge").mockImplementation(async (connection, asked: Charge) => {
    refused ||= asked.reference;
    if (asked.reference !== refused) return charge(connection, asked);
    // Postgres stores no such character.
    return { kind: "failed", gatewayId: "g", decline: "soft", reason: "a\u0000b" };
  });
  await runOnce(renewal, renewals.ctx.businessId);
  expect(await states(renewals.ctx.businessId)).toEqual({ succeeded: 7, submitting: 1 });
  expect(await figuresOf(renewals)).toMatchObject({ charges: 7, events: 7, ledger: 7, planned: 7 });
  vi.restoreAllMocks();
  await lookUp(renewals.ctx.businessId);
  await runAll(outcomes, renewals.ctx.businessId);
  await runAll(renewal, renewals.ctx.businessId);
  expect(await figuresOf(renewals)).toMatchObject({ charges: 8, references: 8, planned: 8 });
});

it("a saved method that cannot be read fails alone: the others of its set are charged", async () => {
  const renewals = await dueAtOnce(8);
  const { businessId } = renewals.ctx;
  // It cannot be unsealed.
  await db.execute(sql`update tokenizations set method_id = 'not sealed' where id = (
    select tokenization_id from subscriptions where business_id = ${businessId} order by id limit 1)`);
  await runOnce(renewal, businessId);
  expect(await states(businessId)).toEqual({ succeeded: 7 });
  expect(await figuresOf(renewals)).toMatchObject({ charges: 7, events: 7, ledger: 7, planned: 7 });
});

it("an outcome does not wait for a slow answer in its set", async () => {
  const renewals = await dueAtOnce(4);
  const { businessId } = renewals.ctx;
  const { charge } = simulatorGateway;
  let slow = "";
  let answer = () => {};
  const held = new Promise<void>((resolve) => {
    answer = resolve;
  });
  vi.spyOn(simulatorGateway, "charge").mockImplementation(async (connection, asked: Charge) => {
    slow ||= asked.reference;
    if (asked.reference === slow) await held;
    return charge(connection, asked);
  });
  const round = runOnce(renewal, businessId);
  await expect.poll(() => states(businessId)).toEqual({ succeeded: 3, submitting: 1 });
  answer();
  await round;
  expect(await states(businessId)).toEqual({ succeeded: 4 });
});
