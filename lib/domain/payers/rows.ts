import { and, eq, sql } from "drizzle-orm";
import { db, type Executor, type Tx } from "@/db/client";
import { payerKeys } from "@/db/schema/payers";
import { newDataKey } from "@/lib/kernel/data-keys";
import { newId } from "@/lib/kernel/ids";
import { seal, unseal } from "@/lib/kernel/secrets";
import {
  addressesIn,
  type KeysByAddress,
  type KeysById,
  keyIdsIn,
  openFields,
  type PayerKey,
  payerDigest,
} from "./rules";

type KeyRow = typeof payerKeys.$inferSelect;

/** A new key of a payer, and the row that keeps it. */
export function newPayerKey(businessId: number, email: string): PayerKey & { row: KeyRow } {
  const id = newId();
  const key = newDataKey();
  const row = {
    businessId,
    id,
    payer: payerDigest(businessId, email),
    key: seal(key.toString("base64url"), "payer"),
  };
  return { id, key, row };
}

const opened = (sealed: string) => Buffer.from(unseal(sealed, "payer"), "base64url");

/**
 * The key of each address, in one statement; creates missing keys. A transaction locks the keys, so an erasure that deletes them
 * waits for its end. `made`: there was none, or an erasure that this waited for has deleted it.
 */
export async function keysFor(
  on: Executor,
  businessId: number,
  addresses: readonly string[],
): Promise<ReadonlyMap<string, PayerKey & { made: boolean }>> {
  const wanted = [...new Set(addresses)];
  if (wanted.length === 0) return new Map();
  const fresh = wanted.map((address) => newPayerKey(businessId, address).row);
  const { rows } = await on.execute<{ payer: string; id: string; key: string; made: boolean }>(sql`
    with wanted as (
      select * from unnest(${sql.param(fresh.map(({ payer }) => payer))}::text[], ${sql.param(fresh.map(({ id }) => id))}::text[], ${sql.param(fresh.map(({ key }) => key))}::text[]) as w (payer, id, key)
    ), found as materialized (
      select k.payer, k.id, k.key from wanted w, lateral (
        select payer, id, key from ${payerKeys} where business_id = ${businessId} and payer = w.payer
        order by id desc limit 1 for key share) k
    ), made as (
      insert into ${payerKeys} (business_id, id, payer, key)
      select ${businessId}, w.id, w.payer, w.key from wanted w where w.payer not in (select payer from found)
      returning payer, id, key
    )
    select *, false as made from found union all select *, true from made`);
  const byPayer = new Map(rows.map((row) => [row.payer, row]));
  return new Map(
    wanted.flatMap((address, at) => {
      const row = byPayer.get(fresh[at]?.payer ?? "");
      return row ? [[address, { id: row.id, key: opened(row.key), made: row.made }] as const] : [];
    }),
  );
}

/** Keys of the payers in these objects, for what is written of them. */
export const keysForData = (
  on: Executor,
  businessId: number,
  ...data: readonly unknown[]
): Promise<KeysByAddress> => keysFor(on, businessId, data.flatMap(addressesIn));

/** The keys of these ids that were not deleted. */
export async function keysById(
  on: Executor,
  businessId: number,
  ids: readonly string[],
): Promise<KeysById> {
  if (ids.length === 0) return new Map();
  const rows = await on
    .select({ id: payerKeys.id, key: payerKeys.key })
    .from(payerKeys)
    .where(
      and(
        eq(payerKeys.businessId, businessId),
        sql`${payerKeys.id} = any(${sql.param([...new Set(ids)])}::text[])`,
      ),
    );
  return new Map(rows.map(({ id, key }) => [id, opened(key)]));
}

/** Waits for those who write of a payer now, and keeps others from it until this transaction ends. */
export async function lockKeys(tx: Tx, businessId: number, email: string): Promise<void> {
  await tx
    .select({ id: payerKeys.id })
    .from(payerKeys)
    .where(
      and(
        eq(payerKeys.businessId, businessId),
        eq(payerKeys.payer, payerDigest(businessId, email)),
      ),
    )
    .for("update");
}

type WithFields = {
  businessId: number;
  data: Record<string, unknown>;
  previous?: Record<string, unknown> | null;
};

/** Events with their personal fields opened; one statement for each business, none where nothing is sealed. */
export async function openEvents<T extends WithFields>(
  rows: readonly T[],
  on: Executor = db,
): Promise<T[]> {
  const keys = new Map<string, Buffer>();
  for (const [businessId, own] of Map.groupBy(rows, (row) => row.businessId)) {
    const ids = keyIdsIn(own.map((row) => [row.data, row.previous]));
    for (const [id, key] of await keysById(on, businessId, ids)) keys.set(id, key);
  }
  return rows.map((row) => ({
    ...row,
    data: openFields(row.data, keys),
    ...(row.previous ? { previous: openFields(row.previous, keys) } : {}),
  }));
}
