import type { EventRow } from "../events/rows";

/** The body of a delivery. Rows of events never change, and their words are not translated, so every retry sends the same bytes. */
export function bodyOf(
  testEvent: Record<string, unknown> | null,
  event: Pick<EventRow, "id" | "type" | "mode" | "createdAt" | "data"> | null,
): string {
  if (testEvent) return JSON.stringify(testEvent);
  if (!event) throw new Error("a delivery of an event that does not exist");
  const { id: _id, type, mode, createdAt: created_at, data } = event;
  return JSON.stringify({ _id, type, mode, created_at, data });
}
