import type { Claimed } from "@/lib/domain/webhooks/delivery-rows";
import type { Answer } from "./sender";

export type Decision =
  | { kind: "delivered" }
  | { kind: "retry"; seconds: number }
  /** It is not tried again. */
  | { kind: "exhausted" }
  /** The endpoint wants no more webhooks, and is disabled. */
  | { kind: "gone" };

/** What to do with a delivery after an attempt. Test events are not tried again. */
export function decide(
  { status, error }: Pick<Answer, "status" | "error">,
  { tries, testEvent }: Pick<Claimed, "tries" | "testEvent">,
  retrySeconds: readonly number[],
): Decision {
  if (error === null) return { kind: "delivered" };
  if (status === 410) return { kind: "gone" };
  const seconds = testEvent ? undefined : retrySeconds[tries];
  return seconds === undefined ? { kind: "exhausted" } : { kind: "retry", seconds };
}
