import { compute } from "@/lib/compute/pool";
import type { Ctx } from "@/lib/domain/context";
import { fromThread } from "./checked-body";

/** The body of a bulk call, parsed and checked in a thread. Throws 400, 422 where no row can be read, 429. */
export const readBulk = async (ctx: Ctx, text: string, csv: boolean) =>
  fromThread(await compute(ctx, "bulk", { text, csv }));
