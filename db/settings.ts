import { randomBytes } from "node:crypto";
import { eq, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/node-postgres";
import type pg from "pg";
import { db, type Executor, type Tx } from "./client";
import { settings } from "./schema/settings";
import { installKey, paymentSearchKey, restoredKey } from "./setting-keys";
import { unmarkRestore } from "./unfinished-restore";

/** Keeps a value under a key unless there is one already. Returns the one kept. */
export async function keepSetting(key: string, value: string): Promise<string> {
  await db.insert(settings).values({ key, value }).onConflictDoNothing();
  const [row] = await db
    .select({ value: settings.value })
    .from(settings)
    .where(eq(settings.key, key));
  if (!row) throw new Error(`the setting ${key} could not be kept`);
  return row.value;
}

/** Puts a value under a key, whatever was there. */
export async function replaceSetting(key: string, value: string, on: Executor = db): Promise<void> {
  await on
    .insert(settings)
    .values({ key, value })
    .onConflictDoUpdate({ target: settings.key, set: { value } });
}

const newInstallId = () => randomBytes(4).toString("hex");

/** The id of this install, which its backups are named by. */
export const installId = (): Promise<string> => keepSetting(installKey, newInstallId());

/** Gives a restored copy an id of its own: the install that it was made from may live on, and write to the same store. */
export const renewInstallId = (client: pg.Client): Promise<void> =>
  replaceSetting(installKey, newInstallId(), drizzle({ client }));

/**
 * A search at gateways for payments made since a backup; moments in ISO 8601 UTC. It repeats: payers may still pay on pages opened before the restore.
 * `connected`: the accounts connected meanwhile, by the ids of their connections. `done`: only those are left to search.
 */
export type PaymentSearch = {
  since: string;
  restored_at: string;
  next_at: string;
  done?: boolean;
  connected?: string[];
};

/**
 * Notes that a backup was just put in place. Charges that fell due before this moment are looked up at the gateway before they are made, and payments
 * made since the backup are searched for. The latest real moment that the backup knows is before it was made, unless processes have written since:
 * then `given` names an earlier one.
 */
async function noteRestore(on: Executor, given?: string): Promise<void> {
  const { rows } = await on.execute<{
    seconds: number | null;
    now: number;
  }>(sql`select extract(epoch from greatest(
    (select max(seen_at) from workers), (select max(started_at) from payments), (select max(created_at) from gateway_connections)))::float8 as seconds,
    extract(epoch from now())::float8 as now`);
  const restoredAt = new Date((rows[0]?.now ?? 0) * 1_000).toISOString();
  const latest = new Date((rows[0]?.seconds ?? 0) * 1_000).toISOString();
  const unfinished = await readPaymentSearch(on);
  const since = [latest, given ?? latest, unfinished?.since ?? latest].sort()[0] as string;
  await replaceSetting(restoredKey, restoredAt, on);
  const search: PaymentSearch = { since, restored_at: restoredAt, next_at: restoredAt };
  await replaceSetting(paymentSearchKey, JSON.stringify(search), on);
  await unmarkRestore(on);
}

/** The same on a connection of its own, in the transaction that is open there. */
export const noteRestoreOn = (client: pg.Client, given?: string): Promise<void> =>
  noteRestore(drizzle({ client }), given);

/** When a backup was last put in place, ISO 8601 UTC; null when none was. */
export const lastRestore = async (): Promise<string | null> =>
  (await readSetting(restoredKey)) ?? null;

/** The search that goes on, if any. */
export async function readPaymentSearch(on: Executor = db): Promise<PaymentSearch | undefined> {
  const value = await readSetting(paymentSearchKey, on);
  const search = JSON.parse(value ?? "{}") as Partial<PaymentSearch>;
  return search.next_at === undefined ? undefined : (search as PaymentSearch);
}

/** Takes the search when it is due, for one worker; its next try is so many seconds away, and later the older the search is. */
export async function claimPaymentSearch(seconds: number): Promise<PaymentSearch | undefined> {
  const { rows } = await db.execute<{ value: string; next: string }>(sql`
    select value, (value::jsonb || jsonb_build_object('next_at', to_jsonb(now() + greatest(
      make_interval(secs => ${seconds}), (now() - (value::jsonb ->> 'restored_at')::timestamptz) / 24))))::text as next
    from settings where key = ${paymentSearchKey} and (value::jsonb ->> 'next_at')::timestamptz <= now()`);
  const [found] = rows;
  if (!found) return undefined;
  const { rowCount } = await db.execute(
    sql`update settings set value = ${found.next} where key = ${paymentSearchKey} and value = ${found.value}`,
  );
  return rowCount === 1 ? (JSON.parse(found.next) as PaymentSearch) : undefined;
}

/** The search is done. One that a later restore began, and one that has another account to search since, go on. */
export async function endPaymentSearch({
  since,
  restored_at,
  connected = [],
}: PaymentSearch): Promise<void> {
  await db.execute(
    sql`update settings set value = ${JSON.stringify({ since, restored_at, done: true })} where key = ${paymentSearchKey}
      and value::jsonb ->> 'restored_at' = ${restored_at} and coalesce(value::jsonb -> 'connected', '[]') = ${JSON.stringify(connected)}::jsonb`,
  );
}

/** An account that is connected within thirty days of a restore is searched too: it may have taken money since the backup, which does not have it. */
export async function searchConnected(tx: Tx, connectionId: string): Promise<void> {
  for (;;) {
    const { rows } = await tx.execute<{ value: string; next: string }>(sql`
      select value, (value::jsonb || jsonb_build_object('next_at', now(), 'connected', coalesce(value::jsonb -> 'connected', '[]') || to_jsonb(${connectionId}::text)))::text as next
      from settings where key = ${paymentSearchKey} and (value::jsonb ->> 'restored_at')::timestamptz > now() - interval '30 days'`);
    const [found] = rows;
    if (!found) return;
    const { rowCount } = await tx.execute(
      sql`update settings set value = ${found.next} where key = ${paymentSearchKey} and value = ${found.value}`,
    );
    if (rowCount === 1) return;
  }
}

/** The value under a key, if any. */
export async function readSetting(key: string, on: Executor = db): Promise<string | undefined> {
  const [row] = await on
    .select({ value: settings.value })
    .from(settings)
    .where(eq(settings.key, key));
  return row?.value;
}

/** Whether the database has its settings table: not before the first migration. */
export async function hasSettings(): Promise<boolean> {
  const { rows } = await db.execute<{ found: boolean }>(
    sql`select to_regclass('public.settings') is not null as found`,
  );
  return rows[0]?.found ?? false;
}
