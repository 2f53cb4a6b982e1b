import { sql } from "drizzle-orm";
import type { Tx } from "./client";
import { type Mode, modes } from "@/lib/contract/values";

/** Tells the dashboard of a change that writes no event, once it is committed; of what belongs to the whole business in both modes. */
export async function notifyChange(
  tx: Tx,
  { businessId, mode }: { businessId: number; mode?: Mode },
  type: string,
  objectId: string,
): Promise<void> {
  for (const one of mode ? [mode] : modes)
    await tx.execute(
      sql`select pg_notify('kutip_changes', json_build_array(${businessId}::integer, ${one}::text, ${type}::text, ${objectId}::text)::text)`,
    );
}
