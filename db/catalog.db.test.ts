import { readdirSync } from "node:fs";
import path from "node:path";
import { getTableName, is } from "drizzle-orm";
import { getTableConfig, PgTable } from "drizzle-orm/pg-core";
import type { PoolClient } from "pg";
import { afterEach, beforeEach, expect, test } from "vitest";
import { pool } from "@/db/client";
import { partitioned } from "@/db/partitions";
import * as contract from "@/lib/contract/values";

// Tables of the install: people, settings, keys, processes, limits and its backups belong to no business. `directory` finds the business.
const INSTALL =
  /^(businesses|auth_.*|settings|workers|processes|rate_limits|audit_keys|directory|backup_schedule)$/;

// Keys without a business: they refer to people, who may be members of several businesses.
const KEYS_WITHOUT_BUSINESS = [
  "memberships_user_id_auth_users_id_fk",
  "invitations_invited_by_auth_users_id_fk",
  "saved_views_user_id_auth_users_id_fk",
];

// Rows of `NO_BUSINESS` (account mails, invitations to create a business) refer to no row of businesses. A trigger of `events` alone
// writes `event_queue`.
const WITHOUT_REFERENCE = [
  "event_queue",
  "invitations",
  "mails",
  "payment_counts",
  "payment_link_counts",
  "payment_link_stages",
  "payment_sums",
];

/** What must have a fixed list of values: by its name, or because the schema gives the list. */
const LISTED = ["status", "state", "mode", "role"];

let client: PoolClient;
beforeEach(async () => {
  client = await pool().connect();
  await client.query("begin");
});
afterEach(async () => {
  await client.query("rollback");
  client.release();
});

const names = async (text: string): Promise<string[]> =>
  (await client.query<{ name: string }>(text)).rows.map(({ name }) => name);

const TABLES = `select c.oid, c.relname from pg_class c
  where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition`;

/** Tables of tenants: all that are not the install's. */
const tenantTables = async () =>
  (await names(`select relname as name from (${TABLES}) t`)).filter((name) => !INSTALL.test(name));

/** Primary, unique and foreign keys, with their table, that do not hold `business_id`. */
const keysWithoutBusiness = () =>
  names(`with t as (${TABLES}), k as (
      select t.relname, c.conname as name, c.conrelid as rel, c.conkey as columns from t join pg_constraint c on c.conrelid = t.oid and c.contype = 'f'
      union all
      select t.relname, i.relname, x.indrelid, x.indkey::int2[] from t join pg_index x on x.indrelid = t.oid and x.indisunique join pg_class i on i.oid = x.indexrelid)
    select name from k where relname !~ '${INSTALL.source}'
      and not exists (select from pg_attribute a where a.attrelid = k.rel and a.attname = 'business_id' and a.attnum = any(k.columns))
    order by 1`);

const tablesWithoutReference = async () => {
  const referring = await names(
    "select distinct conrelid::regclass::text as name from pg_constraint where contype = 'f' and confrelid = 'businesses'::regclass",
  );
  return (await tenantTables()).filter((name) => !referring.includes(name)).sort();
};

/** Columns of all tables that hold one of a fixed list, without the CHECK that holds them to it. */
const unchecked = () =>
  names(`with t as (${TABLES})
    select t.relname || '.' || a.attname as name from t join pg_attribute a on a.attrelid = t.oid and a.attnum > 0 and not a.attisdropped
    where a.attname = any('{${LISTED.join(",")}}') and a.atttypid = 'text'::regtype
      and not exists (select from pg_constraint c where c.conrelid = t.oid and c.conname = t.relname || '_' || a.attname || '_known' and c.convalidated)
    order by 1`);

test("every key of a tenant's table carries its business", async () => {
  expect(await keysWithoutBusiness()).toEqual([...KEYS_WITHOUT_BUSINESS].sort());
});

test("every tenant's table refers to businesses", async () => {
  expect(await tablesWithoutReference()).toEqual(WITHOUT_REFERENCE);
});

test("every column with a state, mode or role allows its list of values only", async () => {
  expect(await unchecked()).toEqual([]);
});

test("a table without these is found", async () => {
  await client.query(
    "create table stray (id text primary key, business_id integer, status text, payment_id text unique)",
  );
  expect(await keysWithoutBusiness()).toEqual(
    [...KEYS_WITHOUT_BUSINESS, "stray_payment_id_key", "stray_pkey"].sort(),
  );
  expect(await tablesWithoutReference()).toContain("stray");
  expect(await unchecked()).toEqual(["stray.status"]);
});

/** Each list of the contract that the database holds to. */
const lists: Record<string, readonly string[]> = {
  "gateway_events.about": contract.callbackSubjects,
  "gateway_events.dispute_change": contract.disputeChanges,
  "gateway_events.state": contract.callbackStates,
  "invitations.role": contract.roles,
  "ledger_entries.account": [...contract.ledgerAccounts, contract.FORMER_MANUAL_ACCOUNT],
  "ledger_entries.kind": contract.ledgerKinds,
  "mails.status": contract.mailStatuses,
  "memberships.role": contract.roles,
  "packages.frequency": contract.frequencies,
  "packages.status": contract.packageStatuses,
  "payment_links.status": contract.linkStatuses,
  "payments.method": contract.manualMethods,
  "payments.status": contract.paymentStatuses,
  "refunds.status": contract.refundStatuses,
  "subscriptions.status": contract.subscriptionStatuses,
  "tokenizations.status": contract.tokenizationStatuses,
  "webhook_deliveries.status": contract.deliveryStatuses,
};

/** The values that the CHECK of a column allows. */
async function allowed(column: string): Promise<string[]> {
  const [table = "", name = ""] = column.split(".");
  const [definition = ""] = await names(
    `select pg_get_constraintdef(oid) as name from pg_constraint where conrelid = '${table}'::regclass and conname = '${table}_${name}_known'`,
  );
  return [...definition.matchAll(/'([^']*)'/g)].map(([, value]) => value ?? "");
}

test.each(Object.entries(lists))("%s allows the contract's values", async (column, values) => {
  expect((await allowed(column)).sort()).toEqual([...values].sort());
});

test("every list of values of the schema is a CHECK", async () => {
  const files = await Promise.all(
    readdirSync(path.join(import.meta.dirname, "schema")).map(
      (name) => import(`./schema/${path.basename(name, ".ts")}.ts`) as Promise<object>,
    ),
  );
  const tables = files
    .flatMap((file): unknown[] => Object.values(file))
    .filter((value): value is PgTable => is(value, PgTable))
    .filter((table) => getTableConfig(table).schema === undefined);
  expect(tables.length).toBeGreaterThan(20);
  for (const table of tables)
    for (const { name, enumValues } of getTableConfig(table).columns)
      if (enumValues?.length)
        expect([name, await allowed(`${getTableName(table)}.${name}`)]).toEqual([name, enumValues]);
});

test("every CHECK and foreign key is validated: a migration adds it, and the next one reads the rows that were there", async () => {
  const { rows } = await pool().query<{ name: string }>(
    "select conname as name from pg_constraint where not convalidated and connamespace = 'public'::regnamespace order by 1",
  );
  expect(rows.map(({ name }) => name)).toEqual([]);
});

test("what grows without end is partitioned, two months ahead, with a place for all else", async () => {
  for (const table of partitioned) {
    const bounds = await names(
      `select pg_get_expr(c.relpartbound, c.oid) as name from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = '${table}'::regclass order by 1`,
    );
    expect(bounds[0]).toBe("DEFAULT");
    const { rows } = await client.query<{ later: string }>(
      "select partition_bound($1, month_begin(now(), 2)) as later",
      [table],
    );
    expect(
      bounds.filter((bound) => bound.replaceAll("-", "").includes(rows[0]?.later ?? "?")),
    ).not.toEqual([]);
  }
});
