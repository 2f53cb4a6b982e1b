import { expect } from "vitest";
import { pool, withTransaction } from "@/db/client";
import { nextEntry } from "@/lib/domain/audit/record";
import { lockRecords, redactRecords, writeErasure } from "@/lib/domain/payers/erasure-rows";

/** Tables and columns with copies that the erasure names, and why they stay. */
const NAMED_COPIES = [
  // Goes after REQUEST_LOG_DAYS.
  "request_log",
  // Sealed answers go after 72 hours.
  "idempotency_keys",
  // The simulator is a gateway: what it was sent stays with it.
  "simulator.",
];

/** Every column of text or JSON, in every table, that holds the text. */
export async function columnsWith(text: string): Promise<string[]> {
  const { rows: columns } = await pool().query<{ name: string; column: string }>(`
    select c.oid::regclass::text as name, quote_ident(a.attname) as column from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    where c.relkind = 'r' and c.relnamespace not in ('pg_catalog'::regnamespace, 'information_schema'::regnamespace)
      and a.atttypid in ('text'::regtype, 'jsonb'::regtype, 'json'::regtype, 'varchar'::regtype, 'text[]'::regtype)`);
  expect(columns.length).toBeGreaterThan(150);
  const found: string[] = [];
  const forms = [text.toLowerCase(), encodeURIComponent(text.toLowerCase()).toLowerCase()];
  for (const { name, column } of columns) {
    const { rows } = await pool().query<{ there: boolean }>(
      `select exists (select 1 from ${name} where lower(${column}::text) like any($1)) as there`,
      [forms.map((form) => `%${form.replace(/[\\%_]/g, "\\$&")}%`)],
    );
    if (rows[0]?.there) found.push(`${name}.${column}`);
  }
  return found;
}

/** Those of them that an erasure must have changed. */
export const unnamed = (columns: readonly string[]) =>
  columns.filter((column) => !NAMED_COPIES.some((table) => column.startsWith(table)));

/** An erasure in a transaction of its own, until it is committed. */
export async function erasing(businessId: number, email: string) {
  let commit = () => {};
  let reached = () => {};
  const isDone = new Promise<void>((resolve) => (reached = resolve));
  const until = new Promise<void>((resolve) => (commit = resolve));
  const done = withTransaction(async (tx) => {
    await lockRecords(tx, businessId, email);
    await redactRecords(tx, businessId, email, { kind: "operator" });
    const entry = await nextEntry(
      tx,
      businessId,
      { kind: "operator" },
      { action: "payer:erase", details: { redacted: [] } },
    );
    await writeErasure(tx, businessId, email, entry);
    reached();
    await until;
  });
  await Promise.race([isDone, done]);
  return { commit, done };
}

/** How many statements on this database wait for the lock of another transaction. Other databases of the server do not count. */
export async function waitingForLocks(): Promise<number> {
  const { rows } = await pool().query(
    "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
  );
  return rows.length;
}
