import { and, eq, sql } from "drizzle-orm";
import { db, type Executor, type Tx } from "@/db/client";
import { businesses, businessLogos } from "@/db/schema/businesses";

export type BusinessRow = typeof businesses.$inferSelect;

export async function insertBusiness(
  on: Executor,
  row: typeof businesses.$inferInsert,
): Promise<BusinessRow> {
  const [made] = await on.insert(businesses).values(row).returning();
  if (!made) throw new Error("the business was not written");
  return made;
}

/** Any business at all? An install without one is empty. */
export async function unscopedAnyBusiness(on: Executor = db): Promise<boolean> {
  const rows = await on.select({ id: businesses.id }).from(businesses).limit(1);
  return rows.length > 0;
}

/** The oldest businesses of this install. */
export const unscopedListBusinesses = (limit: number): Promise<{ id: number; name: string }[]> =>
  db
    .select({ id: businesses.id, name: businesses.name })
    .from(businesses)
    .orderBy(businesses.id)
    .limit(limit);

/** Each time zone that businesses have, with the oldest of these businesses. */
export const unscopedListZones = (
  limit: number,
): Promise<{ timeZone: string; businessIds: number[] }[]> =>
  db
    .select({
      timeZone: businesses.timeZone,
      businessIds: sql<
        number[]
      >`(array_agg(${businesses.id} order by ${businesses.id}))[1:${sql.raw(String(limit))}]`,
    })
    .from(businesses)
    .groupBy(businesses.timeZone)
    .orderBy(businesses.timeZone);

/** How many businesses the install has. */
export const unscopedCountBusinesses = (): Promise<number> => db.$count(businesses);

export async function findBusiness(
  id: number,
  on: Executor = db,
): Promise<BusinessRow | undefined> {
  const [row] = await on.select().from(businesses).where(eq(businesses.id, id));
  return row;
}

/** Only one at a time may ask whether the install is empty and then fill it. */
export async function unscopedLockInstall(tx: Tx): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(hashtext('kutip.install'))`);
}

/** The business under its row lock. */
export async function lockBusiness(tx: Tx, id: number): Promise<BusinessRow> {
  const [row] = await tx
    .select()
    .from(businesses)
    .where(eq(businesses.id, id))
    .for("no key update");
  if (!row) throw new Error("a business that was acted for is gone");
  return row;
}

export type LogoRow = typeof businessLogos.$inferSelect;

export async function putLogo(
  tx: Tx,
  row: Pick<LogoRow, "businessId" | "digest" | "type" | "bytes">,
): Promise<void> {
  const { digest, type, bytes } = row;
  await tx
    .insert(businessLogos)
    .values({ ...row, encoded: true })
    .onConflictDoUpdate({
      target: businessLogos.businessId,
      set: { digest, type, bytes, encoded: true, updatedAt: sql`excluded.updated_at` as never },
    });
}

/** Keeps the encoded form of a logo under the address that it has, unless another logo took its place. */
export async function keepEncodedLogo(
  businessId: number,
  digest: string,
  { type, bytes }: Pick<LogoRow, "type" | "bytes">,
): Promise<void> {
  await db
    .update(businessLogos)
    .set({ type, bytes, encoded: true, updatedAt: sql`now()` })
    .where(and(eq(businessLogos.businessId, businessId), eq(businessLogos.digest, digest)));
}

export async function dropLogo(tx: Tx, businessId: number): Promise<void> {
  await tx.delete(businessLogos).where(eq(businessLogos.businessId, businessId));
}

export async function findLogo(businessId: number): Promise<LogoRow | undefined> {
  const [row] = await db
    .select()
    .from(businessLogos)
    .where(eq(businessLogos.businessId, businessId));
  return row;
}

/** Needs only the digest: logos are public. */
export async function unscopedFindLogo(
  digest: string,
): Promise<Pick<LogoRow, "type" | "bytes"> | undefined> {
  const [row] = await db
    .select({ type: businessLogos.type, bytes: businessLogos.bytes })
    .from(businessLogos)
    .where(eq(businessLogos.digest, digest))
    .limit(1);
  return row;
}

export async function changeBusiness(
  tx: Tx,
  id: number,
  change: Partial<BusinessRow>,
): Promise<BusinessRow> {
  const [row] = await tx
    .update(businesses)
    .set({ ...change, updatedAt: sql`now()` as never })
    .where(eq(businesses.id, id))
    .returning();
  if (!row) throw new Error("a locked business is gone");
  return row;
}
