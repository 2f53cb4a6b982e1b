/**
 * What every payment gateway offers. An adapter that cannot do something answers `unknown` or a refusal. It never throws for what the gateway or
 * the network does. `docs/gateways.md` says how to write an adapter.
 */

import type {
  callbackSubjects,
  declineKinds,
  disputeChanges,
  DisputeStatus,
  Mode,
  PayChoice,
  PayMethod,
  PayOption,
} from "@/lib/contract/values";

/** How a sentence writes an amount. `/api` writes minor units, `/api/v1` major ones. */
export type WriteAmount = (amount: number, currency: string) => string;

/** One row of gateway_connections: an account at the gateway, with its secrets decrypted. */
export type Connection = {
  id: string;
  businessId: number;
  mode: Mode;
  secret: string;
  /** Verifies callbacks, where the gateway uses another secret for them. Callbacks are rejected without it. */
  callbackSecret?: string | null;
  /** The gateway's own id of the account, from when the connection was checked; typed by staff where a key alone does not name it. */
  account?: string | null;
};

/**
 * Helps to find an attempt without walking a list. `gatewayId`: the id we stored. `since`: when the attempt was last sent, ISO 8601 UTC; everything it
 * made was made within half an hour after that. `fromCallback`: an id that a callback or a list named. The adapter looks there first, and checks that it is this attempt.
 */
export type Hint = { gatewayId: string | null; since: string | null; fromCallback?: string };

/** Minor units of `currency` by ISO 4217. */
export type Money = { amount: number; currency: string };

export type Card = { brand: string; last4: string; exp: string };
export type SavedMethod = { id: string; card: Card };

/**
 * Who pays, as we know them now. `name`: null, since Kutip asks for none. A repeat of a key may come with other values: an adapter must not make the
 * key depend on them.
 */
export type Payer = { email: string; name: string | null; phone: string | null };

/** `soft`: may work later. `hard`: never again with this method. `needs_payer`: only the payer can complete it. */
export type DeclineKind = (typeof declineKinds)[number];

/** A way to pay that a connection offers, with its banks or wallets where the payer can choose one beforehand. */
export type OfferedMethod = { method: PayMethod; options: readonly PayOption[] };

/** `freshSeconds`: how long the answer may be shown; absent: 3 minutes. */
export type OffersAnswer =
  | { kind: "offers"; methods: readonly OfferedMethod[]; freshSeconds?: number }
  | Unknown;

export type BeginPayment = Money & {
  /** Idempotency key, derived from our attempt id. Sending a key again is the same attempt. */
  key: string;
  /** Our attempt id; `find` takes it. */
  reference: string;
  /** The business's own reference, shown to its people at the gateway. The same for every request with this key. */
  ownReference?: string | null;
  /** The payment link, for `listSince`. */
  linkId?: string | null;
  /** The way to pay that the page is opened for; null for every way that it has. The same for every request with this key. */
  choice?: PayChoice | null;
  payer: Payer;
  title: string;
  returnUrl: string;
  cancelUrl: string;
  /** ISO 8601 UTC; the hosted page takes no money after it. */
  expiresAt: string;
};

export type Charge = Money &
  Pick<BeginPayment, "key" | "reference" | "ownReference" | "payer" | "title"> & {
    methodId: string;
    /** What `prepare` made; always given to a gateway with `prepare`. */
    gatewayId?: string;
    /** The subscription of the charged period, for `listSince`. */
    subscriptionId?: string | null;
    /** The tokenization that is charged, for `listSince`: the id of its record, never the token. */
    tokenizationId?: string | null;
  };

export type SaveMethod = Pick<
  BeginPayment,
  "key" | "reference" | "payer" | "title" | "returnUrl" | "cancelUrl" | "expiresAt"
>;

/** No definite answer: a time-out, a 5xx, a shape that the adapter does not know. */
export type Unknown = { kind: "unknown"; reason: string };

/** The gateway has answered, and its answer does not say it: asking again may bring nothing until staff have acted. */
export type Unclear = { kind: "unclear"; reason: string };

/**
 * `account` and `name`: the gateway's own id of the account, and its owner's name for it. `callbackSecret`: what verifies callbacks, where the gateway
 * hands it out instead of its people typing it. `field`: the account that staff typed is refused, not the key.
 */
export type CheckedKey =
  | { kind: "accepted"; account: string; name: string | null; callbackSecret?: string }
  | { kind: "refused"; reason: string; field?: "account" }
  | Unknown;

/** A saved method as the gateway has it now. `gone`: it can never be charged again. */
export type FindMethodAnswer = { kind: "found"; card: Card } | { kind: "gone" } | Unknown;

/** Our reference of the attempt that saved a method. `nothing`: Kutip did not save it. */
export type MethodAttemptAnswer =
  | { kind: "found"; reference: string }
  | { kind: "nothing" }
  | Unknown;

/**
 * `registered`: the gateway calls the address from now on, and `secret` verifies its callbacks. `end` is called once it is known whether the secret is
 * kept: earlier registrations of the address end then, or else this one. `refused`: its people have to enter the address.
 */
export type RegisterAnswer =
  | { kind: "registered"; secret: string; end: (isKept: boolean) => Promise<void> }
  | { kind: "refused"; reason: string }
  | Unknown;

/** `refused`: the gateway will not open a page. The reason is for staff. `tooSmall`: a larger amount would do. The payer reads it. */
export type BeginAnswer =
  | { kind: "redirect"; gatewayId: string; url: string }
  | { kind: "refused"; reason: string; tooSmall?: boolean }
  | Unknown;

/**
 * `succeeded` echoes the money that the gateway says it took; the caller compares it with what was asked. `fee`: in minor units of `feeCurrency`, which
 * defaults to the payment's currency; null while the gateway has not said it. `failed` with a `gatewayId`: the gateway declined the attempt, and the
 * payer may read the reason. `failed` with an empty `gatewayId`: the gateway made no attempt, and the reason is for staff.
 */
export type ChargeAnswer =
  | ({
      kind: "succeeded";
      gatewayId: string;
      fee: number | null;
      feeCurrency?: string;
      /** How the payer paid, in the gateway's word (`card`, `fpx`); absent while the gateway has not said it. */
      paidWith?: string;
      method?: SavedMethod;
    } & Money)
  | { kind: "failed"; gatewayId: string; decline: DeclineKind; reason: string }
  | { kind: "pending"; gatewayId: string }
  | Unknown;

/** `failed`: the gateway will not charge this, and made nothing. */
export type PrepareAnswer =
  | { kind: "prepared"; gatewayId: string }
  | Extract<ChargeAnswer, { kind: "failed" }>
  | Unknown;

/**
 * `open`: the payer has not finished. `declined`: why the last try on that page failed; the payer may read it. `prepared`: a charge that was prepared and not sent. `nothing`: the gateway has no such attempt. That is proof
 * only after a safe time, and only of a gateway that `provesAbsence`.
 */
export type FindAnswer =
  | ChargeAnswer
  | { kind: "prepared"; gatewayId: string }
  | { kind: "saved"; gatewayId: string; method: SavedMethod }
  | { kind: "open"; gatewayId: string; url: string; declined?: string }
  | { kind: "cancelled"; gatewayId: string }
  | { kind: "nothing" };

/** `too_late`: it can no longer be cancelled; `find` returns its outcome. */
export type CancelAnswer = { kind: "cancelled" } | { kind: "too_late" } | Unknown;

/** `unsupported`: the gateway has no way to refund this payment through its API. The reason is for staff: why, and what they do instead. */
export type RefundSupport =
  | { kind: "supported" }
  | { kind: "unsupported"; reason: string }
  | Unknown;

/** `refused`: the gateway keeps the customer, and staff have to delete it there. */
export type ForgetAnswer = { kind: "forgotten" } | { kind: "refused"; reason: string } | Unknown;

/**
 * `succeeded` echoes the money that the gateway says it gave back. `failed` is final: no money went back and none will. `awaits`: what a pending refund
 * waits for, as a sentence for staff, where it is more than the gateway's own work.
 */
export type RefundAnswer =
  | ({ kind: "succeeded"; refundId: string } & Money)
  | { kind: "failed"; reason: string }
  | { kind: "pending"; refundId: string; awaits?: string }
  | Unknown;

/** `nothing`: the gateway has no refund with this key; sending the key again is safe. */
export type FindRefundAnswer = RefundAnswer | { kind: "nothing" };

/**
 * A verified callback. It only says where to look: the caller asks the gateway for the facts. `type`: the gateway's own name of the event, for staff.
 * `about`: `payment` is an attempt to pay or to save a method; `nothing` needs no work. `disputeChange`: `refundsAndDisputes` must show it before the
 * callback is done. `method` is a saved method, and `gatewayId` then its name at the gateway. `reference`: empty when the callback names none; it may name a `gatewayId` then. `claims`: compared with what we know.
 */
export type Callback = {
  eventId: string;
  type: string;
  about: (typeof callbackSubjects)[number];
  disputeChange?: (typeof disputeChanges)[number];
  reference: string;
  gatewayId?: string | null;
  claims?: { mode: Mode; account: string | null; money: Money | null };
};

/** A refund as the gateway has it now, by its own id. `key`: our key, for refunds that we requested. `reason`: why it failed. */
export type RefundState = {
  refundId: string;
  key: string | null;
  status: "pending" | "succeeded" | "failed";
  reason: string | null;
} & Money;

/**
 * Money that moved for a dispute, by the gateway's own id. `money` was taken from the business, or returned when negative; `fee` likewise. Null: the
 * currency or amount is not one we can book. `stated`: the gateway's own words for the amount, for staff.
 */
export type Movement = { id: string; money: Money | null; fee: Money | null; stated: string };

/** What happened to the money of an attempt after it was taken, also without us. */
export type RefundsAndDisputes = {
  kind: "found";
  refunds: readonly RefundState[];
  /**
   * The dispute that decides the payment's status: an open one before a lost one before a won one. `lost`: the payer's bank keeps the money.
   * `anotherIsOver`: this one is open, and an earlier or later one is not.
   */
  dispute: { id: string; status: DisputeStatus; reason: string; anotherIsOver?: boolean } | null;
  /** Of all disputes, oldest first. */
  movements: readonly Movement[];
};

/**
 * Money that a gateway took, or may yet take (`pending`), for an attempt with one of our references. The rest is what the request for it said; null
 * where the gateway does not keep it.
 */
export type ListedPayment = {
  reference: string;
  gatewayId: string;
  linkId: string | null;
  subscriptionId: string | null;
  tokenizationId: string | null;
  title: string | null;
  ownReference: string | null;
  pending: boolean;
};

/** A refund or dispute by the gateway's id; `gatewayId` is its payment's. */
export type ListedReturn = { id: string; about: "refund" | "dispute"; gatewayId: string };

/** `next` continues the list; null at its end. */
export type ListAnswer =
  | {
      kind: "page";
      payments: readonly ListedPayment[];
      returns: readonly ListedReturn[];
      next: string | null;
    }
  | Unknown;

/** One attempt at the gateway. */
export type AttemptRef = { reference: string; hint?: Hint };

/**
 * A refund that our records hold as made, by the gateway's id. Empty: staff recorded it or said its outcome, and its id is not known. `recorded`: it
 * has no id, and staff gave the money back, at the gateway or another way.
 */
export type BookedRefund = { refundId: string; amount: number; recorded: boolean };

/**
 * `booked`: the other refunds of the attempt that have succeeded, for gateways that know no key. `payerEmail`: where a gateway may send instructions to
 * a payer who has to say where the money goes; absent when no address is known. A key must not depend on it.
 */
export type RefundRequest = Money &
  AttemptRef & { key: string; booked?: readonly BookedRefund[]; payerEmail?: string };

export interface Gateway {
  readonly name: string;
  /** Its name for people. */
  readonly title: string;
  /** Every business has it in test mode without a key. It takes new payments there until another gateway is connected. */
  readonly builtIn: boolean;
  /** The field in which staff type the account, where a key alone does not name it. */
  readonly accountField: "brand_id" | "collection_id" | null;
  /** Origins of its hosted pages, for the payer page's form-action. */
  readonly origins: readonly string[];
  /** The worker looks up at most this many payments of a connection within a minute. Infinity: no limit. */
  readonly lookUpsPerMinute: number;
  /** The gateway limits reads by the address that they come from too: that number is for all connections of a mode together. */
  readonly limitsByAddress: boolean;
  /** It saves payment methods and charges them. Otherwise `saveMethod` and `charge` refuse. */
  readonly savesMethods: boolean;
  /** A charge that is sent again with its key, within a quarter of an hour, is not made twice. */
  readonly chargeIsIdempotent: boolean;
  /**
   * A refund that is sent again with its key is not made twice, and `refundsAndDisputes` lists it with that key. Otherwise a refund is never sent again,
   * and a payment has one open refund at a time.
   */
  readonly refundIsIdempotent: boolean;
  /** `find` can show that the gateway has no attempt of a reference, also without an id. */
  readonly provesAbsence: boolean;
  /** The smallest amounts that it charges, in minor units by currency, where it states them. It refunds less. */
  readonly minimums: Readonly<Record<string, number>>;
  /** Why this key cannot be one of this mode, as a sentence; null when it can be. Makes no call. */
  validateKey(secret: string, mode: Mode): string | null;
  /** The same for the secret that verifies callbacks. Null: staff type none, since the gateway hands it out. */
  readonly validateCallbackSecret: ((secret: string) => string | null) | null;
  /** Asks the gateway which account a key belongs to. */
  checkKey(connection: Pick<Connection, "id" | "secret" | "mode" | "account">): Promise<CheckedKey>;
  /** Why the gateway cannot charge or refund this amount, as a sentence that begins with "The amount"; null when it can. Makes no call. */
  validateAmount(money: Money, write?: WriteAmount): string | null;
  /** The ways to pay that its pages have, in the order that payers see them. */
  offers(connection: Connection): Promise<OffersAnswer>;
  /**
   * Makes the gateway call back to an address, in place of what was registered for that address before. Null: its people enter the address, or every
   * payment names it.
   */
  readonly registerCallbacks:
    | ((
        connection: Pick<Connection, "id" | "secret" | "mode">,
        url: string,
      ) => Promise<RegisterAnswer>)
    | null;
  /** Opens a hosted page to pay. */
  beginPayment(connection: Connection, payment: BeginPayment): Promise<BeginAnswer>;
  /** Opens a hosted page to save a method. */
  saveMethod(connection: Connection, request: SaveMethod): Promise<BeginAnswer>;
  /**
   * For a gateway without idempotent charges: makes an object that can be paid once. The caller commits its id before `charge` pays it, so that a
   * charge without an answer can be found and sent again. Null: the gateway has no such object, or needs none.
   */
  readonly prepare: ((connection: Connection, charge: Charge) => Promise<PrepareAnswer>) | null;
  /** Charges a saved method without the payer. */
  charge(connection: Connection, charge: Charge): Promise<ChargeAnswer>;
  /** A saved method as it is now, by our id of it. Null: the gateway does not report changes of methods. */
  readonly findMethod:
    | ((connection: Connection, methodId: string) => Promise<FindMethodAnswer>)
    | null;
  /** Which attempt saved the method that a callback names. Null as `findMethod`. */
  readonly attemptOfMethod:
    | ((connection: Connection, gatewayId: string) => Promise<MethodAttemptAnswer>)
    | null;
  /** Deletes what the gateway keeps of the payer who saved this method, for good; one that is not there counts as forgotten. Payments stay. */
  forgetCustomer(connection: Connection, methodId: string): Promise<ForgetAnswer>;
  /** Closes an open page, so that it takes no money later. */
  cancel(connection: Connection, reference: string, hint?: Hint): Promise<CancelAnswer>;
  /** The outcome of an attempt. */
  find(connection: Connection, reference: string, hint?: Hint): Promise<FindAnswer>;
  /**
   * Payments made since a moment (ISO 8601 UTC), then refunds and disputes made since, also of earlier payments. `cursor`: `next` of the page before.
   * Null: the gateway has no list of payments.
   */
  readonly listSince:
    | ((connection: Connection, since: string, cursor: string | null) => Promise<ListAnswer>)
    | null;
  /** Whether `refund` can give money of this attempt back. `booked`: as for a refund. */
  refundSupport(
    connection: Connection,
    attempt: AttemptRef & Pick<RefundRequest, "booked">,
  ): Promise<RefundSupport>;
  /** Gives back part or all of an attempt's money: once for a key, never more than was taken. */
  refund(connection: Connection, refund: RefundRequest): Promise<RefundAnswer>;
  /** The outcome of the refund with this key. */
  findRefund(connection: Connection, refund: RefundRequest): Promise<FindRefundAnswer>;
  /** Every refund and dispute of an attempt, also those made without us. `booked`: the refunds that our records hold as made. */
  refundsAndDisputes(
    connection: Connection,
    reference: string,
    hint?: Hint,
    booked?: readonly BookedRefund[],
  ): Promise<RefundsAndDisputes | Unclear | Unknown>;
  /** Under a test clock: finishes a pending attempt now, where the gateway can; else does nothing. */
  settleNow(connection: Connection, reference: string): Promise<void>;
  /** The body of our 200 to a callback: a fixed text that the gateway waits for, or empty. */
  readonly callbackReply: string;
  /** Null unless the signature over the raw body is right and fresh. The body is JSON, a form, or whatever else the gateway sends. */
  verifyCallback(
    connection: Connection,
    raw: Uint8Array,
    headers: Headers,
  ): Promise<Callback | null>;
}
