import { withTransaction } from "@/db/client";
import { unscopedFanOut } from "./rows";

/** Turns events of the log into deliveries, each once: the rows and the place reached are one commit. Answers how many events. */
export async function fanOut(limit: number): Promise<number> {
  return (await withTransaction((tx) => unscopedFanOut(tx, limit))) ?? 0;
}
