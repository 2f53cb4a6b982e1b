import type { GoLive } from "@/lib/contract/overview";
import { gatewayTitle } from "@/lib/contract/payment-methods";
import { goLiveSteps } from "@/lib/contract/values";
import { env } from "@/lib/env";
import type { Ctx } from "../context";
import { type GoLiveFacts, goLiveFacts } from "./go-live-rows";

type Step = GoLive["steps"][number];
type State = Omit<Step, "step" | "optional">;

/** Staff take payments without a program. */
const isOptional = (step: Step["step"]) => step === "live_key";

/** What is ready for real money; each step from records alone, in either mode. */
export async function goLive(ctx: Ctx): Promise<GoLive> {
  const facts = await goLiveFacts(ctx);
  const steps = goLiveSteps.map(
    (step): Step => ({
      step,
      optional: isOptional(step),
      ...states[step](facts),
    }),
  );
  return { done: steps.every(({ done, optional }) => done || optional), steps };
}

const just = (done: boolean, note: string | null = null): State => ({ done, note, at: null });

const states: Record<Step["step"], (facts: GoLiveFacts) => State> = {
  gateway: ({ gateway, account, checked_at: at }) => {
    if (gateway === null) return just(false, "No payment provider is connected for live mode.");
    const name = gatewayTitle(gateway);
    return at === null
      ? just(false, `${name} has not accepted the key yet.`)
      : { done: true, note: `${name} accepted the key${account ? ` of ${account}` : ""}.`, at };
  },
  mail: ({ mail_status: status, mail_error: error, mail_at: at, mail_to: to }) => {
    if (!env.SMTP_URL) return just(false, "This install has no mail server.");
    if (status === null) return just(false, "No test mail has been sent.");
    if (status === "sent")
      return { done: true, note: `The mail server accepted a mail to ${to}.`, at };
    const waits = status === "queued" || status === "waiting";
    const said = error ? ` ${error}` : "";
    if (status === "unknown")
      return {
        done: false,
        note: `The mail server gave no definite answer, so the test mail to ${to} may or may not have arrived.${said}`,
        at,
      };
    return waits
      ? { done: false, note: `The test mail to ${to} has not been accepted yet.${said}`, at }
      : { done: false, note: `The test mail to ${to} was not accepted.${said}`, at };
  },
  brand: ({ branded }) => just(branded),
  time_zone: ({ time_zone: zone, saved }) =>
    saved || zone !== "UTC"
      ? just(true, `Days are counted in ${zone.replaceAll("_", " ")}.`)
      : just(false),
  live_key: ({ live_key: key }) => just(key),
  live_payment: ({ paid_at: at }) => ({ done: at !== null, note: null, at }),
};
