import type { FairWork } from "@/lib/domain/fair-work";

/** One round of a kind of work, to its end. Returns how many pieces it did. */
export async function runOnce({ poll, drain }: FairWork): Promise<number> {
  const done = await poll("test");
  await drain();
  return done;
}
