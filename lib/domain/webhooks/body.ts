import type { EventRow } from "../events/rows";

/** The body of a delivery; null where its event is not kept any more. Rows of events never change, and their words are not translated, so every retry sends the same bytes. */
export function bodyOf(
  testEvent: Record<string, unknown> | null,
  event: Pick<EventRow, "id" | "type" | "mode" | "createdAt" | "data"> | null,
): string | null {
  if (testEvent) return JSON.stringify(testEvent);
  if (!event) return null;
  const { id: _id, type, mode, createdAt: created_at, data } = event;
  return JSON.stringify({ _id, type, mode, created_at, data });
}
