import { and, desc, eq, inArray, isNull } from "drizzle-orm";
import type { Executor } from "@/db/client";
import { webhookEndpoints as endpoints } from "@/db/schema/webhooks";
import type { EndpointRow } from "./rows";

/** Those of these endpoints that are not deleted, of both modes, the newest first. */
export async function endpointsOf(
  on: Executor,
  businessId: number,
  ids: readonly string[],
): Promise<EndpointRow[]> {
  return on
    .select()
    .from(endpoints)
    .where(
      and(
        eq(endpoints.businessId, businessId),
        inArray(endpoints.id, [...ids]),
        isNull(endpoints.deletedAt),
      ),
    )
    .orderBy(desc(endpoints.createdAt), desc(endpoints.id));
}
