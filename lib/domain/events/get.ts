import type { Event } from "@/lib/contract/events";
import { notFound } from "@/lib/kernel/problem";
import type { Ctx } from "../context";
import { presentEvent } from "./present";
import { findEvent } from "./rows";

/** One event. Throws 404. */
export async function get(ctx: Ctx, id: string): Promise<Event> {
  const row = await findEvent(ctx, id);
  if (!row) throw notFound();
  return presentEvent(row);
}
