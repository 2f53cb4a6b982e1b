import { db, type Executor } from "@/db/client";
import type { Subscription } from "@/lib/contract/subscriptions";
import { notFound } from "@/lib/kernel/problem";
import type { Ctx } from "../context";
import { embedLinks, presentSubscription } from "./present";
import { findSubscription } from "./rows";

/** One subscription. Throws 404. */
export async function get(ctx: Ctx, id: string, on: Executor = db): Promise<Subscription> {
  const row = await findSubscription(ctx, id, on);
  const [embedded] = row ? await embedLinks(ctx, on, [row]) : [];
  if (!embedded) throw notFound();
  return presentSubscription(embedded);
}
