import { integrationLimits } from "@/lib/contract/values";
import type { CallbackOutcome, CallbackTarget } from "@/lib/domain/integrations/callback-rows";
import type { Answer } from "../webhook-delivery/sender";

/** Seconds from a failed attempt to the next one. */
const RETRY_SECONDS = [300, 3_600] as const;

const SUCCESS = [
  "Swipe IPN webhook success",
  "Payje IPN webhook success",
  "Callback processed successfully",
];
/** GiveWP says nothing when it has taken the callback: WordPress then answers with a page of the shop. */
const REFUSALS_OF_GIVEWP = [
  "Swipe IPN webhook failed",
  "Hash mismatch",
  "Missing API signature key",
  "No Payment Link found",
];
/** Gravity Forms says this when it has taken the callback before. Every further attempt would mail the buyer again. */
const TAKEN = /already been processed/i;

/** What a shop's answer means. `attempts` counts the attempt that has just ended. Shops answer 200 for anything, so that their words decide. */
export function decide(
  { status, error, response }: Pick<Answer, "status" | "error" | "response">,
  attempts: number,
  plugin: CallbackTarget["plugin"],
): Pick<CallbackOutcome, "status" | "seconds"> {
  const words = response ?? "";
  if (TAKEN.test(words)) return { status: "delivered", seconds: null };
  if (status !== null && error === null) {
    const says = (texts: readonly string[]) => texts.some((text) => words.includes(text));
    const taken = says(SUCCESS) || (plugin === "givewp" && !says(REFUSALS_OF_GIVEWP));
    return { status: taken ? "delivered" : "refused", seconds: null };
  }
  const seconds = attempts < integrationLimits.attempts ? RETRY_SECONDS[attempts - 1] : undefined;
  return seconds === undefined
    ? { status: "failed", seconds: null }
    : { status: "pending", seconds };
}
