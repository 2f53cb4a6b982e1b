import type { Tx } from "@/db/client";
import { conflict } from "@/lib/kernel/problem";
import type { Ctx } from "../context";
import { lockClock } from "./rows";

/** Locks the test clock of a payment link that becomes active again, so that its deletion waits. Throws 409 when the clock is deleted. */
export async function assertClockKept(ctx: Ctx, tx: Tx, clockId: string | null): Promise<void> {
  if (clockId !== null && !(await lockClock(ctx, tx, clockId, "key share")))
    throw conflict("The test clock of this payment link is deleted.");
}
