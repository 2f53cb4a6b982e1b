import type { TestClock, TestClockInput } from "@/lib/contract/test-clocks";
import { newId } from "@/lib/kernel/ids";
import { conflict } from "@/lib/kernel/problem";
import type { Ctx } from "../context";
import { commit } from "../idempotency/commit";
import { presentClock } from "./present";
import { insertClock } from "./rows";

/** Creates a clock at the given moment. Throws 409 in live mode. */
export async function create(ctx: Ctx, input: TestClockInput): Promise<TestClock> {
  if (ctx.mode !== "test") throw conflict("There are test clocks in test mode only.");
  return commit(ctx, async (tx) =>
    presentClock(await insertClock(ctx, tx, newId(), { name: input.name, time: input.now })),
  );
}
