import { readFileSync } from "node:fs";
import path from "node:path";
import { gunzipSync } from "node:zlib";
import { beforeEach, expect, test } from "vitest";
import { connectClient } from "@/db/connection";
import { migrateDatabase, pendingMigrations } from "@/db/migrate";
import { verifyAudit } from "@/lib/domain/audit/verify";
import { list as listEvents } from "@/lib/domain/events/list";
import type { EventRow } from "@/lib/domain/events/rows";
import { balance } from "@/lib/domain/ledger/balance";
import { list as listEntries } from "@/lib/domain/ledger/list";
import { ofEvent } from "@/lib/domain/timeline/entries";
import { systemCtx } from "@/lib/domain/context";
import { list as listLinks } from "@/lib/domain/payment-links/list";
import { list as listTokens } from "@/lib/domain/tokenizations/list";
import { provideEnv } from "@/lib/env";
import { ownDatabaseEach } from "../own-database";

// A dump of an install with two months of trade, made by the version that had only the migration 0000_init.
const dump = gunzipSync(
  readFileSync(path.join(import.meta.dirname, "first-schema.sql.gz")),
).toString("utf8");
const secret = "upgrade-fixture-".repeat(3);

ownDatabaseEach(() => query(dump));
beforeEach(() => provideEnv({ KUTIP_SECRET: secret }));

async function query<Row extends Record<string, unknown>>(text: string): Promise<Row[]> {
  const client = await connectClient();
  try {
    return (await client.query<Row>(text)).rows;
  } finally {
    await client.end();
  }
}

const shop = systemCtx({ businessId: 1001, mode: "test" }, { kind: "operator" }, "upgrade-test");
const everything = { per_page: 100 } as const;

// Tables that a later migration drops: they held no business's data. What readers had not read becomes rows of event_queue.
const DROPPED = ["public.auth_sign_in_failures", "public.event_cursors"];

/** Rows of every table that the dump fills and that still exists. The migrations' own journal grows, so it is left out. */
async function counts(tables?: string[]): Promise<Record<string, number>> {
  const names =
    tables ??
    (
      await query<{ name: string }>(
        "select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname in ('public', 'simulator') order by 1",
      )
    )
      .map(({ name }) => name)
      .filter((name) => !DROPPED.includes(name));
  const rows = await query<{ name: string; n: number }>(
    names
      .map((name) => `select '${name}' as name, count(*)::int as n from ${name}`)
      .join(" union all "),
  );
  return Object.fromEntries(rows.map(({ name, n }) => [name, n]));
}

// What migrations change on purpose: rows of no business have the business 0, owners whom the operator made count as proven, and some
// stored words have new names.
const REWRITTEN = [
  "public.mails.business_id",
  "public.invitations.business_id",
  "public.auth_users.email_verified",
  "public.auth_users.updated_at",
  "public.payments.gateway",
  "public.payments.flags",
  "public.refunds.gateway",
];

/** A digest of what each column of each table holds, whatever its type. */
async function contents(columns?: string[]): Promise<Record<string, string>> {
  const names =
    columns ??
    (
      await query<{ name: string }>(
        "select format('%I.%I.%I', table_schema, table_name, column_name) as name from information_schema.columns where table_schema in ('public', 'simulator') order by 1",
      )
    )
      .map(({ name }) => name)
      .filter((name) => !DROPPED.some((table) => name.startsWith(`${table}.`)))
      .filter((name) => !REWRITTEN.includes(name));
  const rows = await query<{ name: string; digest: string }>(
    names
      .map((name) => {
        const [schema, table, column] = name.split(".");
        return `select '${name}' as name, md5(coalesce(string_agg(${column}::text, ',' order by ${column}::text), '')) as digest from ${schema}.${table}${table === "settings" ? " where key not in ('oldest_writer', 'sealed_together_until')" : ""}`;
      })
      .join(" union all "),
  );
  return Object.fromEntries(rows.map(({ name, digest }) => [name, digest]));
}

const ledgerSums = () =>
  query(
    "select business_id, mode, account, kind, currency, sum(amount)::text as sum, count(*)::int as entries from ledger_entries group by 1, 2, 3, 4, 5 order by 1, 2, 3, 4, 5",
  );

test("an install of the first schema keeps what every column holds, and every sum of its ledger", async () => {
  const [columns, sums] = [await contents(), await ledgerSums()];
  expect(Object.keys(columns).length).toBeGreaterThan(250);
  expect(sums.length).toBeGreaterThan(5);
  await migrateDatabase();
  expect(await contents(Object.keys(columns))).toEqual(columns);
  expect(await ledgerSums()).toEqual(sums);
});

test("events that a reader of the first schema had not read are queued for its successor, and no others", async () => {
  const unread = (
    reader: string,
    wanted: string,
  ) => `(select count(*)::int from events e where ${wanted}
    and (e.xid, e.seq) > coalesce((select (c.xid, c.seq) from event_cursors c where c.reader = '${reader}'), ('0'::xid8, 0::bigint)))`;
  await query("update event_cursors set xid = '0', seq = (select max(seq) - 100 from events)");
  await query("update events set xid = '0'");
  const [before] = await query(`select ${unread("webhooks", "true")} as webhooks,
    ${unread("mail", "e.mail is not null")} as mails,
    ${unread("subscriptions", "e.type in ('payment.succeeded', 'payment.failed', 'payment_link.paid', 'tokenization.activated')")} as subscriptions`);
  expect(before?.webhooks).toBe(100);
  await migrateDatabase();
  const rows = await query<{ consumer: string; n: number }>(
    "select consumer, count(*)::int as n from event_queue group by consumer",
  );
  expect(Object.fromEntries(rows.map(({ consumer, n }) => [consumer, n]))).toEqual(before);
});

test("its records are found by what callers without a business hold", async () => {
  await migrateDatabase();
  const [row] = await query<{ missing: number; entries: number }>(`
    with held as (
      select 'api_key' as kind, digest as key, business_id from api_keys
      union all select 'gateway_connection', id, business_id from gateway_connections
      union all select 'invitation', digest, business_id from invitations
      union all select 'invitation', link_digest, business_id from invitations where link_digest is not null
      union all select 'payment', id, business_id from payments
      union all select 'payment_link', id, business_id from payment_links
      union all select 'tokenization', id, business_id from tokenizations
      union all select 'tokenization', token_digest, business_id from tokenizations)
    select (select count(*)::int from held where not exists (
      select from directory d where (d.kind, d.key, d.business_id) = (held.kind, held.key, held.business_id))) as missing,
      (select count(*)::int from directory) as entries`);
  expect(row?.missing).toBe(0);
  expect(row?.entries).toBeGreaterThan(100);
});

test("an install of the first schema keeps every row when it is migrated", async () => {
  const before = await counts();
  expect(before["public.payment_links"]).toBeGreaterThan(50);
  expect(await pendingMigrations()).toBeGreaterThanOrEqual(0);
  await migrateDatabase();
  expect(await pendingMigrations()).toBe(0);
  // Two more settings: the oldest version that may write, and up to which event two payers' addresses may be sealed together.
  const settings = (before["public.settings"] ?? 0) + 2;
  expect(await counts(Object.keys(before))).toEqual({ ...before, "public.settings": settings });
  expect(
    await query("select currency from ledger_entries group by currency having sum(amount) <> 0"),
  ).toEqual([]);
  expect(await query("select id from events where data is null")).toEqual([]);
});

test("words of /api that changed before 1.0 read well in rows that are never rewritten", async () => {
  await query(
    "update payments set flags = array['mismatch', 'closed'] where id = (select min(id) from payments)",
  );
  await migrateDatabase();
  expect(
    await query(
      "select (select count(*)::int from payments where gateway = 'manual') as manual, (select count(*)::int from refunds where gateway = 'manual') as refunds, (select count(*)::int from payments where flags = array['amount_mismatch', 'resolved']) as flagged, (select count(*)::int from ledger_entries where account = 'by_hand') as kept",
    ),
  ).toEqual([{ manual: 1, refunds: 1, flagged: 1, kept: 2 }]);
  const none = new URLSearchParams();
  const entries = await listEntries(shop, { ...everything, account: "manual" }, none);
  expect(entries.data.map(({ account, amount }) => [account, amount])).toEqual([
    ["manual", -500],
    ["manual", 1_500],
  ]);
  const { currencies } = await balance(shop, { currency: "JPY" });
  expect(currencies).toMatchObject([{ manual: 1_000 }]);
  const [entry] = entries.data;
  const events = await listEvents(shop, { ...everything, type: "payment.succeeded" }, none);
  const event = events.data.find(({ data }) => data._id === entry?.payment_id);
  expect(event?.data).toMatchObject({ gateway: "manual", method: "cash" });
  const [row] = await query<EventRow>(`select type, data from events where id = '${event?._id}'`);
  expect(row?.data).toMatchObject({ gateway: "by_hand" });
  expect(ofEvent({ ...(row as EventRow), previous: { flags: ["mismatch"] } })).toMatchObject({
    title: "Payment recorded by hand",
    changes: [{ field: "flags", before: ["amount_mismatch"] }],
  });
});

test("its records are read as before: links, saved methods with their secrets, the audit chain", async () => {
  const [row] = await query<{ links: number; tokens: number }>(
    "select (select count(*)::int from payment_links where deleted_at is null) as links, (select count(*)::int from tokenizations) as tokens",
  );
  await migrateDatabase();
  const links = await listLinks(shop, everything, new URLSearchParams());
  const tokens = await listTokens(shop, everything, new URLSearchParams());
  expect(links.data).toHaveLength(row?.links ?? 0);
  expect(links.data.some(({ title }) => title.includes("\n"))).toBe(true);
  expect(tokens.data).toHaveLength(row?.tokens ?? 0);
  for (const { activation_url, token } of tokens.data) expect(activation_url).toContain(token);
  const verdicts = await verifyAudit();
  expect(verdicts.length).toBeGreaterThan(0);
  expect(verdicts.filter(({ fault }) => fault)).toEqual([]);
});
