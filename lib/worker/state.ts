import type { WorkState } from "@/lib/contract/work";
import type { Ctx } from "@/lib/domain/context";
import { givenUp, unscopedWorkers, workWaiting } from "./rows";

/** What the install's workers are at, and what of this business and mode waits or was given up. */
export async function workOf(ctx: Ctx): Promise<WorkState> {
  const [workers, work, given_up] = await Promise.all([
    unscopedWorkers(),
    workWaiting(ctx),
    givenUp(ctx),
  ]);
  return { workers, work, given_up };
}
