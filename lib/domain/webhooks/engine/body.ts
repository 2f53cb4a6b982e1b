import { presentEvent } from "../../events/present";
import type { EventRow } from "../../events/rows";

/** What is sent of an event. The row is never changed and its fields are named here, so the bytes are the same each time. */
export function bodyOf(
  testEvent: Record<string, unknown> | null,
  event: Pick<EventRow, "id" | "type" | "createdAt" | "data"> | null,
): string {
  if (testEvent) return JSON.stringify(testEvent);
  if (!event) throw new Error("a delivery of an event that does not exist");
  const { _id, type, created_at, data } = presentEvent(event);
  return JSON.stringify({ _id, type, created_at, data });
}
