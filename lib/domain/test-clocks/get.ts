import type { TestClock } from "@/lib/contract/test-clocks";
import { notFound } from "@/lib/kernel/problem";
import type { Ctx } from "../context";
import { presentClock } from "./present";
import { findClock } from "./rows";

/** One clock. Throws 404. */
export async function get(ctx: Ctx, id: string): Promise<TestClock> {
  const row = await findClock(ctx, id);
  if (!row) throw notFound();
  return presentClock(row);
}
