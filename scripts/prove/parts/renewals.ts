import { sql } from "drizzle-orm";
import { db } from "@/db/client";
import { createBusiness } from "@/lib/domain/businesses/create";
import { resolveGateway } from "@/lib/domain/gateway-connections/account";
import { type Ctx, systemCtx } from "@/lib/domain/context";
import { create as createPackage } from "@/lib/domain/packages/create";
import { saveScriptedMethod } from "@/lib/gateways/simulator/scripting";
import { newId, newToken } from "@/lib/kernel/ids";
import { digest, seal } from "@/lib/kernel/secrets";

export type Renewals = { ctx: Ctx; connectionId: string };

/** A business with that many active subscriptions, each with a saved method of its own, all due for renewal at this moment. */
export async function dueAtOnce(count: number): Promise<Renewals> {
  const ctx = await newBusiness();
  const { connection } = await resolveGateway(ctx);
  await saveScriptedMethod(connection);
  const methods = Array.from({ length: count }, () => newId());
  await db.execute(sql`
    insert into simulator.methods (connection_id, id, brand, last4, exp, behaviour)
    select ${connection.id}, unnest(${sql.param(methods)}::text[]), 'visa', '4242', '01/2040', 'works'`);
  await subscribed(ctx, { gateway: "simulator", connectionId: connection.id }, methods);
  return { ctx, connectionId: connection.id };
}

export async function newBusiness(): Promise<Ctx> {
  const business = await createBusiness({ name: "Night Market" });
  return systemCtx({ businessId: business.id, mode: "test" }, { kind: "operator" }, "proof");
}

/** Active subscriptions, one for each of these methods saved at a gateway, all due for renewal at this moment. */
export async function subscribed(
  ctx: Ctx,
  account: { gateway: string; connectionId: string },
  methods: readonly string[],
): Promise<void> {
  const made = await createPackage(ctx, {
    name: "Membership",
    amount: 1_250,
    currency: "MYR",
    frequency: "monthly",
    date_charge_start: "2020-01-01",
  });
  const rows = methods.map((method, number) => {
    const token = newToken();
    return {
      subscription: newId(),
      tokenization: newId(),
      email: `payer${number}@example.com`,
      sealed: seal(method, "gateway"),
      token: seal(token, "tokenization"),
      digest: digest(token),
    };
  });
  for (let from = 0; from < rows.length; from += 1_000)
    await insert(ctx, account, made._id, rows.slice(from, from + 1_000));
  await db.execute(
    sql`update packages set subscribed_count = ${rows.length}, live_count = ${rows.length} where id = ${made._id}`,
  );
  await db.execute(sql`analyze`);
}

async function insert(
  ctx: Ctx,
  { gateway, connectionId }: { gateway: string; connectionId: string },
  packageId: string,
  rows: readonly Record<string, string>[],
): Promise<void> {
  const from = sql`jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as r(subscription text, tokenization text, email text, sealed text, token text, digest text)`;
  await db.execute(sql`
    insert into tokenizations (business_id, mode, id, token_digest, token, email, title, description, status, expires_at, activated_at, gateway, connection_id, method_id, brand, last4, exp)
    select ${ctx.businessId}, 'test', r.tokenization, r.digest, r.token, r.email, 'Membership', 'Renewed every month', 'active', now(), now(), ${gateway}, ${connectionId}, r.sealed, 'visa', '4242', '01/2040'
    from ${from}`);
  await db.execute(sql`
    insert into directory (kind, key, business_id, mode)
    select 'tokenization', key, ${ctx.businessId}, 'test' from ${from}, unnest(array[r.tokenization, r.digest]) as key`);
  await db.execute(sql`
    insert into subscriptions (business_id, mode, id, package_id, email, status, tokenization_id, anchor)
    select ${ctx.businessId}, 'test', r.subscription, ${packageId}, r.email, 'active', r.tokenization, current_date - interval '1 month' from ${from}`);
  await db.execute(sql`
    insert into subscription_periods (business_id, mode, subscription_id, period_start, period_end, number, due_at, next_attempt_at)
    select ${ctx.businessId}, 'test', r.subscription, current_date, current_date + interval '1 month' - interval '1 day', 1, now(), now() from ${from}`);
}

/** How far it is: periods paid, and attempts without an outcome. */
export async function progressOf({ ctx }: Renewals): Promise<{ paid: number; open: number }> {
  const { rows } = await db.execute<{ paid: number; open: number }>(sql`
    select (select count(*)::int from subscription_periods where business_id = ${ctx.businessId} and state = 'paid') as paid,
      (select count(*)::int from payments where business_id = ${ctx.businessId} and status in ('submitting', 'requires_action', 'pending', 'unknown')) as open`);
  return rows[0] ?? { paid: 0, open: 0 };
}

export type Figures = {
  charges: number;
  declines: number;
  references: number;
  payments: number;
  succeeded: number;
  events: number;
  ledger: number;
  unbalanced: number;
  apart: number;
  twice: number;
  planned: number;
  claims: number;
};

/** What the gateway's journal and our own books say; every figure has one right value. */
export async function figuresOf({ ctx, connectionId }: Renewals): Promise<Figures> {
  const business = ctx.businessId;
  const { rows } = await db.execute<Figures>(sql`
    with journal as (select * from simulator.journal where connection_id = ${connectionId}), gross as (
      select payment_id, amount, currency from ledger_entries where business_id = ${business} and kind = 'gross' and account = 'gateway')
    select (select count(*) from journal where type = 'charge')::int as charges, (select count(*) from journal where type <> 'charge')::int as declines,
      (select count(distinct reference) from journal where type = 'charge')::int as references,
      (select count(*) from payments where business_id = ${business})::int as payments,
      (select count(*) from payments where business_id = ${business} and status = 'succeeded' and flags = '{}')::int as succeeded,
      (select count(*) from events where business_id = ${business} and type = 'payment.succeeded')::int as events,
      (select count(*) from gross)::int as ledger,
      (select count(*) from (select from ledger_entries where business_id = ${business} group by posting_id having sum(amount) <> 0) u)::int as unbalanced,
      (select count(*) from (select reference, amount, currency from journal where type = 'charge') j
        full join gross g on g.payment_id = j.reference and g.amount = j.amount and g.currency = j.currency where g.payment_id is null or j.reference is null)::int as apart,
      (select count(*) from (select from payments where business_id = ${business} and succeeded_at is not null group by subscription_id, period_start having count(*) > 1) t)::int as twice,
      (select count(*) from subscription_periods where business_id = ${business} and state = 'due' and number = 2)::int as planned,
      (select sum(fence) from subscription_periods where business_id = ${business} and number = 1)::int as claims`);
  if (!rows[0]) throw new Error("no figures");
  return rows[0];
}
