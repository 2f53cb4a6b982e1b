/** What every payment gateway must offer. No defaults: an adapter that cannot do a thing says so by `unknown` or a refusal, never by silence. */

import type { callbackSubjects, declineKinds, disputeChanges, Mode } from "@/lib/contract/values";

/** Whose account is used: one row of gateway_connections, its secrets already decrypted. */
export type Connection = {
  id: string;
  businessId: number;
  mode: Mode;
  secret: string;
  /** What verifies callbacks, where that is another secret; without it none is believed. */
  callbackSecret?: string | null;
  /** The gateway's own name of the account, as it was when the connection was checked. */
  account?: string | null;
};

/**
 * What we kept of an attempt: makes a look-up one request instead of a walk through a list. `since`: when it was sent last, ISO 8601 UTC; what is there of it
 * was made within the half hour that follows. `told`: an id that the gateway itself has named, looked at first, and no more believed than any other.
 */
export type Known = { gatewayId: string | null; since: string; told?: string };

/** Minor units of `currency` by ISO 4217. */
export type Money = { amount: number; currency: string };

export type Card = { brand: string; last4: string; exp: string };
export type SavedMethod = { id: string; card: Card };

/** `soft`: may work later. `hard`: never again with this method. `needs_payer`: only the payer can complete it. */
export type DeclineKind = (typeof declineKinds)[number];

export type BeginPayment = Money & {
  /** Idempotency key, derived from our attempt id: the same key is the same attempt, however often it is sent. */
  key: string;
  /** Our attempt id, by which `find` looks it up. */
  reference: string;
  /** The business's own reference of what is paid, for its people to see at the gateway; the same for a key every time. */
  ownReference?: string | null;
  /** The payment link that is paid, for `listSince`. */
  linkId?: string | null;
  title: string;
  returnUrl: string;
  cancelUrl: string;
  /** ISO 8601 UTC; the hosted page takes no money after it. */
  expiresAt: string;
};

export type Charge = Money &
  Pick<BeginPayment, "key" | "reference" | "ownReference" | "title"> & {
    methodId: string;
    /** The subscription whose period is charged, for `listSince`. */
    subscriptionId?: string | null;
  };

export type SaveMethod = {
  key: string;
  reference: string;
  title: string;
  returnUrl: string;
  cancelUrl: string;
  expiresAt: string;
};

/** `refused`: the gateway will not open a page (its reason is plain text for staff). `unknown`: no definite answer. */
export type BeginAnswer =
  | { kind: "redirect"; gatewayId: string; url: string }
  | { kind: "refused"; reason: string }
  | { kind: "unknown"; reason: string };

/**
 * `succeeded` echoes what the gateway says it took; the caller compares it with what was asked. `fee` in minor units of `feeCurrency`, which is
 * the payment's own unless told; null while the gateway has not said yet. `failed` with a `gatewayId` is the decline of an attempt the gateway has,
 * in words its payer may read; without one (empty) the gateway has begun none, and the reason is for staff.
 */
export type ChargeAnswer =
  | ({
      kind: "succeeded";
      gatewayId: string;
      fee: number | null;
      feeCurrency?: string;
      method?: SavedMethod;
    } & Money)
  | { kind: "failed"; gatewayId: string; decline: DeclineKind; reason: string }
  | { kind: "pending"; gatewayId: string }
  | { kind: "unknown"; reason: string };

/** `open`: the payer has not finished. `nothing`: the gateway has no such attempt, which proves nothing until a safe time has passed. */
export type FindAnswer =
  | ChargeAnswer
  | { kind: "saved"; gatewayId: string; method: SavedMethod }
  | { kind: "open"; gatewayId: string; url: string }
  | { kind: "cancelled"; gatewayId: string }
  | { kind: "nothing" };

/** `too_late`: it can no longer be cancelled; ask `find` what became of it. */
export type CancelAnswer =
  | { kind: "cancelled" }
  | { kind: "too_late" }
  | { kind: "unknown"; reason: string };

/** `succeeded` echoes what the gateway says it gave back. `failed` is for good: nothing was given back and nothing will be. */
export type RefundAnswer =
  | ({ kind: "succeeded"; refundId: string } & Money)
  | { kind: "failed"; reason: string }
  | { kind: "pending"; refundId: string }
  | { kind: "unknown"; reason: string };

/** `nothing`: the gateway has no refund of that key; sending it again under the same key is safe. */
export type FindRefundAnswer = RefundAnswer | { kind: "nothing" };

/**
 * A verified callback only says where to look: the caller asks the gateway for the facts. `type`: the gateway's own name of the event, for staff.
 * `about`: `payment` is an attempt to pay or to save a method; `nothing` needs no work. `disputeChange`: what `aftermath` must show. `reference` is
 * empty when it names none; `gatewayId` then may. `said` is what it claims, for the caller to compare with what it knows.
 */
export type Callback = {
  eventId: string;
  type: string;
  about: (typeof callbackSubjects)[number];
  disputeChange?: (typeof disputeChanges)[number];
  reference: string;
  gatewayId?: string | null;
  said?: { mode: Mode; account: string | null; money: Money | null };
};

/** A refund as the gateway has it now, by its own id; `reason`: why it failed. */
export type ToldRefund = {
  refundId: string;
  key: string | null;
  status: "pending" | "succeeded" | "failed";
  reason: string | null;
} & Money;

/**
 * Money that moved for a dispute, by the gateway's own id of this movement: `money` was taken from the business, or given back when negative, `fee` kept
 * or returned. null: what the gateway says cannot be told in a currency we know; `said` are its words.
 */
export type Movement = { id: string; money: Money | null; fee: Money | null; said: string };

/** What happened to an attempt's money after it was taken, by whoever. `key` is ours for refunds that we asked for. */
export type Aftermath = {
  kind: "told";
  refunds: readonly ToldRefund[];
  /** The one that decides how the payment stands: an open one before a lost one before a won one. `lost`: the payer's bank has kept the money. */
  dispute: { id: string; status: "open" | "won" | "lost"; reason: string } | null;
  /** Of all disputes, oldest first. */
  movements: readonly Movement[];
};

/** Money that a gateway took, or may yet take (`pending`), for an attempt with a reference of ours. */
export type ListedPayment = {
  reference: string;
  gatewayId: string;
  linkId: string | null;
  subscriptionId: string | null;
  pending: boolean;
};

/** A refund or dispute, by the gateway's id, of the payment that the gateway calls `gatewayId`. */
export type ListedReturn = { id: string; about: "refund" | "dispute"; gatewayId: string };

/** `next` continues the list; null at its end. */
export type ListAnswer =
  | {
      kind: "page";
      payments: readonly ListedPayment[];
      returns: readonly ListedReturn[];
      next: string | null;
    }
  | { kind: "unknown"; reason: string };

/** `account` and `name`: the gateway's own id of the account, and its owner's name for it. `unknown`: the gateway gave no answer. */
export type CheckedKey =
  | { kind: "accepted"; account: string; name: string | null }
  | { kind: "refused"; reason: string }
  | { kind: "unknown"; reason: string };

export interface Gateway {
  readonly name: string;
  /** Its name for people. */
  readonly title: string;
  /** Connected in test mode from the start, without a key, and used there until another gateway is connected. */
  readonly builtIn: boolean;
  /** Origins its hosted pages live on, for the payer page's form-action. */
  readonly origins: readonly string[];
  /** How many payments of one connection the worker looks up within a minute; Infinity: any number. */
  readonly lookUpsPerMinute: number;
  /** Why this key cannot be one of this mode, as a sentence; null when nothing speaks against it. Calls nobody. */
  validateKey(secret: string, mode: Mode): string | null;
  /** Asks the gateway which account a key belongs to. */
  checkKey(connection: Pick<Connection, "id" | "secret">): Promise<CheckedKey>;
  beginPayment(connection: Connection, payment: BeginPayment): Promise<BeginAnswer>;
  saveMethod(connection: Connection, request: SaveMethod): Promise<BeginAnswer>;
  /** Charges a saved method without the payer. */
  charge(connection: Connection, charge: Charge): Promise<ChargeAnswer>;
  cancel(connection: Connection, reference: string, known?: Known): Promise<CancelAnswer>;
  find(connection: Connection, reference: string, known?: Known): Promise<FindAnswer>;
  /**
   * Payments made since a moment (ISO 8601 UTC), with what they were begun for, then refunds and disputes made since, also of earlier
   * payments. `cursor`: the `next` of the page before.
   */
  listSince(connection: Connection, since: string, cursor: string | null): Promise<ListAnswer>;
  /** Gives back part or all of the attempt `reference`, once for a key, never more than was taken. */
  refund(
    connection: Connection,
    refund: Money & { key: string; reference: string; known?: Known },
  ): Promise<RefundAnswer>;
  /** What became of the refund that was asked for under this key. */
  findRefund(
    connection: Connection,
    refund: { key: string; reference: string; known?: Known },
  ): Promise<FindRefundAnswer>;
  /** What happened to the attempt's money since, also without us. */
  aftermath(
    connection: Connection,
    reference: string,
    known?: Known,
  ): Promise<Aftermath | { kind: "unknown"; reason: string }>;
  /** Why it cannot take this amount in this currency, or give it back, as a sentence about "the amount"; null when nothing speaks against it. */
  refuses(money: Money): string | null;
  /** Under a test clock: finishes a pending attempt now, where the gateway can; else does nothing. */
  settleNow(connection: Connection, reference: string): Promise<void>;
  /** Null when the signature, its age or the body is not right. `raw` is the body as it came. */
  verifyCallback(
    connection: Connection,
    raw: Uint8Array,
    headers: Headers,
  ): Promise<Callback | null>;
}
