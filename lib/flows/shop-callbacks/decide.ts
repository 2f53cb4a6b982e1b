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
/** Of a shop that does not have the key that signed. */
const LACKS_KEY = ["Hash mismatch", "Missing API signature key"];
const REFUSALS = [...LACKS_KEY, "Swipe IPN webhook failed", "No Payment Link found"];
/** Gravity Forms says this when it has taken the callback before. Every further attempt would mail the buyer again. */
const TAKEN = /already been processed/i;

/** They have taken a callback unless they say a refusal. GiveWP answers with a page of the shop; what another program says is not known. */
const WITHOUT_WORDS: readonly CallbackTarget["plugin"][] = ["givewp", "other"];

/** Whether a shop says that it does not have the key that signed. It has done nothing with the callback then. */
export const lacksKey = ({ response }: Pick<Answer, "response">): boolean =>
  LACKS_KEY.some((text) => response?.includes(text));

/** Whether a shop says that it has taken a callback. Those that say so have checked its signature. */
export const accepts = ({ response }: Pick<Answer, "response">): boolean =>
  SUCCESS.some((text) => response?.includes(text));

/** What a shop's answer means. `attempts` counts the attempt that has just ended. Plugins answer 200 for anything, so that their words decide. */
export function decide(
  { status, error, response }: Pick<Answer, "status" | "error" | "response">,
  attempts: number,
  plugin: CallbackTarget["plugin"],
): Pick<CallbackOutcome, "status" | "seconds"> {
  const words = response ?? "";
  if (TAKEN.test(words)) return { status: "delivered", seconds: null };
  if (status !== null && error === null) {
    const isRefusal = REFUSALS.some((text) => words.includes(text));
    const taken = accepts({ response }) || (WITHOUT_WORDS.includes(plugin) && !isRefusal);
    return { status: taken ? "delivered" : "refused", seconds: null };
  }
  const seconds = attempts < integrationLimits.attempts ? RETRY_SECONDS[attempts - 1] : undefined;
  return seconds === undefined
    ? { status: "failed", seconds: null }
    : { status: "pending", seconds };
}
