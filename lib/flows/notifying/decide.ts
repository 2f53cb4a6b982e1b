import type { SendOutcome } from "@/lib/mail/transport";
import type { Answer } from "../webhook-delivery/sender";

const RETRY_SECONDS = [30, 120, 600, 3_600, 14_400];

export type Decision =
  | { kind: "sent" }
  | { kind: "retry"; seconds: number; error: string }
  | { kind: "failed"; error: string }
  /** The chat is gone: nothing more is sent there. */
  | { kind: "off"; error: string };

/** The outcome of a try, whatever the channel. */
export type Try = { kind: "sent" } | { kind: "retry" | "failed" | "off"; error: string };

/** What an answer of a chat means. */
export function ofChat({ status, error }: Pick<Answer, "status" | "error">): Try {
  if (error === null) return { kind: "sent" };
  return { kind: status === 404 || status === 410 ? "off" : "retry", error };
}

/** What an outcome of the mail server means. A lost answer is tried again: a copy is better than none. */
export function ofMail(outcome: SendOutcome): Try {
  if (outcome.kind === "sent") return { kind: "sent" };
  if (outcome.kind === "kept") return { kind: "failed", error: "This install has no mail server." };
  return { kind: outcome.kind === "permanent" ? "failed" : "retry", error: outcome.reason };
}

/** What to do with a message after a try; `tries` were before it. */
export function decide(tried: Try, tries: number): Decision {
  if (tried.kind === "sent") return { kind: "sent" };
  const { kind, error } = tried;
  if (kind !== "retry") return { kind, error };
  const seconds = RETRY_SECONDS[tries];
  return seconds === undefined ? { kind: "failed", error } : { kind: "retry", seconds, error };
}

/** What the settings say of a chat after a decision; null while there is nothing to say. */
export function problemOf(decision: Decision): string | null {
  switch (decision.kind) {
    case "off":
      return `${decision.error} Nothing more is sent there until you save an address or a test message arrives.`;
    case "failed":
      return `A message was not delivered. ${decision.error}`;
    default:
      return null;
  }
}

/** How a decision is stored. */
export const statusOf = ({ kind }: Decision) =>
  kind === "sent" ? "sent" : kind === "retry" ? "queued" : "failed";
