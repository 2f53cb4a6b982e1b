import { and, eq } from "drizzle-orm";
import { db, type Executor } from "@/db/client";
import type { Mode } from "@/db/columns";
import { businesses, gatewayConnections } from "@/db/schema/businesses";

export type BusinessRow = typeof businesses.$inferSelect;
export type ConnectionRow = typeof gatewayConnections.$inferSelect;

export async function insertBusiness(on: Executor, row: typeof businesses.$inferInsert): Promise<BusinessRow> {
  const [made] = await on.insert(businesses).values(row).returning();
  if (!made) throw new Error("the business was not written");
  return made;
}

export async function insertConnection(on: Executor, row: typeof gatewayConnections.$inferInsert): Promise<void> {
  await on.insert(gatewayConnections).values(row);
}

/** Any business at all? An install without one is empty. */
export async function unscopedAnyBusiness(): Promise<boolean> {
  const rows = await db.select({ id: businesses.id }).from(businesses).limit(1);
  return rows.length > 0;
}

export async function findBusiness(id: number, on: Executor = db): Promise<BusinessRow | undefined> {
  const [row] = await on.select().from(businesses).where(eq(businesses.id, id));
  return row;
}

/** The connection new payments of a mode use. */
export async function findConnection(businessId: number, mode: Mode, on: Executor = db): Promise<ConnectionRow | undefined> {
  const [row] = await on
    .select()
    .from(gatewayConnections)
    .where(and(eq(gatewayConnections.businessId, businessId), eq(gatewayConnections.mode, mode), eq(gatewayConnections.enabled, true)))
    .orderBy(gatewayConnections.createdAt)
    .limit(1);
  return row;
}

/** The connection an attempt was made with, enabled or not. */
export async function connectionById(businessId: number, id: string, on: Executor = db): Promise<ConnectionRow | undefined> {
  const [row] = await on.select().from(gatewayConnections).where(and(eq(gatewayConnections.businessId, businessId), eq(gatewayConnections.id, id)));
  return row;
}

/** For callbacks: the id in the address is random and names whose secret verifies. */
export async function unscopedFindConnection(gateway: string, id: string): Promise<ConnectionRow | undefined> {
  const [row] = await db.select().from(gatewayConnections).where(and(eq(gatewayConnections.id, id), eq(gatewayConnections.gateway, gateway)));
  return row;
}
