import { readFileSync } from "node:fs";
import path from "node:path";
import { gunzipSync } from "node:zlib";
import { beforeEach, expect, test } from "vitest";
import { connectClient } from "@/db/connection";
import { migrateDatabase, pendingMigrations } from "@/db/migrate";
import { verifyAudit } from "@/lib/domain/audit/verify";
import { systemCtx } from "@/lib/domain/context";
import { list as listLinks } from "@/lib/domain/payment-links/list";
import { list as listTokens } from "@/lib/domain/tokenizations/list";
import { provideEnv } from "@/lib/env";
import { ownDatabaseEach } from "../own-database";

// A dump of an install with two months of trade, made by the version whose only migration was 0000_init.
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

// Tables that a later migration drops: they held no business's data.
const DROPPED = ["public.auth_sign_in_failures"];

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

test("an install of the first schema keeps every row when it is migrated", async () => {
  const before = await counts();
  expect(before["public.payment_links"]).toBeGreaterThan(50);
  expect(await pendingMigrations()).toBeGreaterThanOrEqual(0);
  await migrateDatabase();
  expect(await pendingMigrations()).toBe(0);
  expect(await counts(Object.keys(before))).toEqual(before);
  expect(
    await query("select currency from ledger_entries group by currency having sum(amount) <> 0"),
  ).toEqual([]);
  expect(await query("select id from events where data is null")).toEqual([]);
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
