import type { Executor } from "@/db/client";
import type { Ctx } from "../context";
import { insertEvent, type NewEvent } from "./rows";

/** Records a state change in the transaction that makes it. `data` is the object as the API answers it, without secrets. */
export async function emit(ctx: Ctx, on: Executor, event: NewEvent): Promise<void> {
  await insertEvent(ctx, on, event);
}
