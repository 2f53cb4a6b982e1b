import { compute } from "@/lib/compute/pool";
import type { Ctx } from "@/lib/domain/context";
import { fromThread } from "./checked-body";

/** The rows of the spreadsheet in a body, unpacked and read in a thread. Throws 400, 429. */
export const readSpreadsheetBody = async (ctx: Ctx, text: string) =>
  fromThread(await compute(ctx, "spreadsheet", text));
