import type { SendOutcome } from "@/lib/mail/transport";

const RETRY_SECONDS = [30, 120, 600, 3_600, 14_400, 43_200, 86_400];

/** What became of a try. `held`: it may be sent later, because of the recipient's limit, a payment under way or a gateway that is missing. */
export type Try =
  | Exclude<SendOutcome, { kind: "kept" }>
  | { kind: "kept"; reason: string }
  | { kind: "held"; seconds: number };

export type Decision =
  /** The mail is done. */
  | { kind: "close"; status: "sent" }
  /** The mail stays here; `error` says why. */
  | { kind: "close"; status: "kept" | "unknown"; error: string }
  /** The mail is not sent, and not tried again. `unknown`: the server may have taken it. */
  | { kind: "fail"; status: "failed" | "unknown"; error: string }
  | { kind: "retry"; maybeSent: boolean; seconds: number; error: string }
  /** No try is counted. */
  | { kind: "postpone"; seconds: number };

/** What to do with a mail after a try; `tries` were before it. `maybeSent`: the server may have taken the mail at one of those, and no later refusal tells that it did not. */
export function decide(outcome: Try, tries: number, maybeSent = false): Decision {
  switch (outcome.kind) {
    case "sent":
      return { kind: "close", status: "sent" };
    case "kept":
      return { kind: "close", status: maybeSent ? "unknown" : "kept", error: outcome.reason };
    case "held":
      return { kind: "postpone", seconds: outcome.seconds };
    case "permanent":
      return { kind: "fail", status: maybeSent ? "unknown" : "failed", error: outcome.reason };
    default: {
      const seconds = RETRY_SECONDS[tries];
      const either = maybeSent || outcome.kind === "unknown";
      const error = outcome.reason;
      return seconds === undefined
        ? { kind: "fail", status: either ? "unknown" : "failed", error }
        : { kind: "retry", maybeSent: either, seconds, error };
    }
  }
}
