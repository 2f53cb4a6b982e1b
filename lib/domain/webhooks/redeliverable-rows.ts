import { eq, inArray, isNull } from "drizzle-orm";
import { db } from "@/db/client";
import { owned } from "@/db/owned";
import { webhookEndpoints as endpoints } from "@/db/schema/webhooks";
import type { Ctx } from "../context";
import { keptAmong } from "../events/rows";
import type { DeliveryRow } from "./rows";

/** `redeliverable`: its endpoint takes events, and what it would be sent is kept. */
export type ShownDelivery = DeliveryRow & { redeliverable: boolean };

/** Deliveries with whether each can be sent again. */
export async function withRedeliverable(
  ctx: Ctx,
  rows: readonly DeliveryRow[],
): Promise<ShownDelivery[]> {
  if (rows.length === 0) return [];
  const taking = await db
    .select({ id: endpoints.id })
    .from(endpoints)
    .where(
      owned(
        ctx,
        endpoints,
        inArray(
          endpoints.id,
          rows.map((row) => row.endpointId),
        ),
        eq(endpoints.enabled, true),
        isNull(endpoints.deletedAt),
      ),
    );
  const kept = await keptAmong(
    ctx,
    rows.map((row) => row.eventId),
  );
  const enabled = new Set(taking.map(({ id }) => id));
  return rows.map((row) => ({
    ...row,
    redeliverable: enabled.has(row.endpointId) && (row.testEvent !== null || kept.has(row.eventId)),
  }));
}
