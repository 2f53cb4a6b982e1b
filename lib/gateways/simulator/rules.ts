import type { DeclineKind } from "../gateway";

/** What this gateway keeps for itself, in minor units: 2 %, rounded half up. */
export function feeFor(amount: number): number {
  return Math.floor((amount * 2 + 50) / 100);
}

export type Behaviour =
  | "works"
  | "declines"
  | "declines_hard"
  | "needs_payer"
  | "expires"
  | "pending"
  | "late"
  | "never";

type Decline = { decline: DeclineKind; reason: string };

const declines = {
  soft: {
    decline: "soft",
    reason: "The card was declined. It may work later, or another card may.",
  },
  hard: { decline: "hard", reason: "The card was declined for good. Another card is needed." },
  expired: { decline: "hard", reason: "The card has expired." },
  unknownMethod: { decline: "hard", reason: "There is no such saved method." },
  needsPayer: {
    decline: "needs_payer",
    reason: "The bank asks the payer to confirm this payment.",
  },
  live: { decline: "hard", reason: "The simulator takes no live payments." },
} as const satisfies Record<string, Decline>;

/** How a charge of a saved method goes. `silent`: no callback is sent either; `answersAfterMs`: how long the answer takes. */
type ChargePlan = {
  state: "succeeded" | "pending" | "failed";
  decline?: Decline;
  usesDecline: boolean;
  silent: boolean;
  answersAfterMs: number;
};

const smooth = { usesDecline: false, silent: false, answersAfterMs: 0 };

/** The plan for one charge of a method that behaves so; without a method there is nothing to charge. */
export function planCharge(
  method: { behaviour: Behaviour; declinesLeft: number; lateMs: number } | undefined,
): ChargePlan {
  if (!method) return { ...smooth, state: "failed", decline: declines.unknownMethod };
  switch (method.behaviour) {
    case "works":
      return { ...smooth, state: "succeeded" };
    case "declines":
      return method.declinesLeft > 0
        ? { ...smooth, state: "failed", decline: declines.soft, usesDecline: true }
        : { ...smooth, state: "succeeded" };
    case "declines_hard":
      return { ...smooth, state: "failed", decline: declines.hard };
    case "needs_payer":
      return { ...smooth, state: "failed", decline: declines.needsPayer };
    case "expires":
      return { ...smooth, state: "failed", decline: declines.expired };
    case "pending":
      return { ...smooth, state: "pending" };
    case "late":
      return { ...smooth, state: "succeeded", answersAfterMs: method.lateMs };
    case "never":
      return {
        ...smooth,
        state: "succeeded",
        silent: true,
        answersAfterMs: Number.POSITIVE_INFINITY,
      };
  }
}

export const liveDecline: Decline = declines.live;

const payOutcomes = [
  "approve",
  "decline",
  "decline_hard",
  "approve_later",
  "lose_answer",
  "cancel",
] as const;
const saveOutcomes = [
  "approve",
  "approve_declines",
  "approve_expires",
  "decline",
  "cancel",
] as const;
export type Outcome = (typeof payOutcomes)[number] | (typeof saveOutcomes)[number];

/** How many later declines a saved method can be given. */
export const maxLaterDeclines = 20;

/** Whether a button of that name is on the page of that kind. */
export function isOutcome(kind: "pay" | "save", name: string): name is Outcome {
  return (kind === "pay" ? payOutcomes : saveOutcomes).some((outcome) => outcome === name);
}

/** What a press leads to. `hiddenLooks`: how many look-ups go unanswered; `silent`: no callback. */
type PressPlan = {
  state: "succeeded" | "saved" | "pending" | "failed" | "cancelled";
  decline?: Decline;
  hiddenLooks: number;
  silent: boolean;
  method?: { behaviour: Behaviour; declinesLeft: number };
};

/** The plan for one press; `laterDeclines` is how many later charges a method saved by `approve_declines` refuses. */
export function planPress(
  kind: "pay" | "save",
  outcome: Outcome,
  laterDeclines: number,
): PressPlan {
  const answered = { hiddenLooks: 0, silent: false };
  const saved = (behaviour: Behaviour, declinesLeft = 0): PressPlan => ({
    ...answered,
    state: "saved",
    method: { behaviour, declinesLeft },
  });
  switch (outcome) {
    case "approve":
      return kind === "pay" ? { ...answered, state: "succeeded" } : saved("works");
    case "approve_declines":
      return saved("declines", laterDeclines);
    case "approve_expires":
      return saved("expires");
    case "approve_later":
      return { ...answered, state: "pending" };
    case "lose_answer":
      return { state: "succeeded", hiddenLooks: 2, silent: true };
    case "decline":
      return { ...answered, state: "failed", decline: declines.soft };
    case "decline_hard":
      return { ...answered, state: "failed", decline: declines.hard };
    case "cancel":
      return { ...answered, state: "cancelled" };
  }
}

/** The card a saved method shows, its last digits telling how it behaves. `now` decides the expiry. */
export function cardFor(
  behaviour: Behaviour,
  now: Date,
): { brand: string; last4: string; exp: string } {
  const month = String(now.getUTCMonth() + 1).padStart(2, "0");
  const year = now.getUTCFullYear() + (behaviour === "expires" ? 0 : 4);
  const last4 = {
    works: "4242",
    declines: "0341",
    declines_hard: "0002",
    needs_payer: "3184",
    expires: "0069",
    pending: "0077",
    late: "0259",
    never: "0101",
  }[behaviour];
  return { brand: "visa", last4, exp: `${month}/${year}` };
}

/** How often a callback is tried before the gateway gives up. */
export const maxCallbackTries = 12;
/** How long one delivery may take. */
export const callbackLimitMs = 5_000;

/** Milliseconds until the next try, after `tries` tries: 1 s, doubling, at most 10 minutes. */
export function backOffMs(tries: number): number {
  return Math.min(1_000 * 2 ** Math.max(tries - 1, 0), 600_000);
}

const separator = "#";

/** The reference of one of several charges of the same reference. */
export const uniqueReference = (reference: string, id: string): string =>
  `${reference}${separator}${id}`;

/** What the caller named it. */
export const referenceIn = (reference: string): string => reference.split(separator)[0] ?? "";
