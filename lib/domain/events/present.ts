import type { Event, EventType } from "@/lib/contract/events";
import { FORMER_MANUAL_ACCOUNT } from "@/lib/contract/values";
import type { EventRow } from "./rows";

const FORMER_FLAGS: Record<string, string> = { mismatch: "amount_mismatch", closed: "resolved" };

/** An event's data in today's words: events are never rewritten, and some words changed before 1.0. */
export function currentWords(data: Record<string, unknown>): Record<string, unknown> {
  const { gateway, flags } = data;
  return {
    ...data,
    ...(gateway === FORMER_MANUAL_ACCOUNT ? { gateway: "manual" } : {}),
    ...(Array.isArray(flags)
      ? { flags: flags.map((flag: string) => FORMER_FLAGS[flag] ?? flag) }
      : {}),
  };
}

/** An event as the API returns it. */
export function presentEvent(
  row: Pick<EventRow, "id" | "type" | "mode" | "createdAt" | "data">,
): Event {
  return {
    _id: row.id,
    type: row.type as EventType,
    mode: row.mode,
    created_at: row.createdAt,
    data: currentWords(row.data),
  };
}
