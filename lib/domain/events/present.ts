import type { Event, EventType } from "@/lib/contract/events";
import type { EventRow } from "./rows";

/** An event as the API answers it. */
export function presentEvent(row: Pick<EventRow, "id" | "type" | "createdAt" | "data">): Event {
  return { _id: row.id, type: row.type as EventType, created_at: row.createdAt, data: row.data };
}
