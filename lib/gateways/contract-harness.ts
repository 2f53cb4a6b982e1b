import type { DisputeStatus } from "@/lib/contract/values";
import type { Connection, Gateway } from "./gateway";

type HostedOutcome = "approve" | "decline" | "decline_hard" | "approve_later" | "lose_answer";
export type SavedBehaviour = "works" | "soft" | "hard" | "needs_payer" | "pending";
export type SentCallback = { raw: Uint8Array; headers: Headers };

/**
 * `list`: of payments, by which an attempt is found without an id. `page_keys`: the same key gives the same page. `callback_times`: a signature covers
 * the time. `modes_in_keys`: a key shows its mode. `callback_references`: a callback names our reference, not only the gateway's id.
 */
type Lack = "list" | "page_keys" | "callback_times" | "modes_in_keys" | "callback_references";

/** What differs between gateways when one is put to the test. */
export type GatewayHarness = {
  gateway: Gateway;
  /** False for a real gateway: it cannot be made to lose answers, and no test can press its pages. */
  scripted: boolean;
  /** What the gateway does not have: the promises that need it are replaced by what holds without it. */
  lacks?: readonly Lack[];
  /** The state of an attempt after a decline on the hosted page: over, or open for another try. */
  afterDecline: "failed" | "open";
  /** How a payment that was approved says it was paid; `card` where absent. */
  paidWith?: string;
  /** How saved methods can be made to behave there. */
  behaviours: readonly SavedBehaviour[];
  /** A new connection. */
  connect(): Promise<Connection>;
  /** Presses a button of the hosted page as the payer would. */
  press(url: string, outcome: HostedOutcome): Promise<void>;
  /** Saves a method with charges that behave in this way. Returns its id. */
  saveMethod(connection: Connection, behaviour: SavedBehaviour): Promise<string>;
  /** The gateway learns of another expiry of a saved method, or removes it. Only of a gateway that reports such changes. */
  changeMethod?(
    connection: Connection,
    methodId: string,
    change: "expiry" | "removal",
  ): Promise<void>;
  /** Does this while the gateway refuses every request for a reason that is about the account. Absent where it cannot be made to. */
  whileRestricted?<T>(connection: Connection, work: () => Promise<T>): Promise<T>;
  /** The next answer to this verb is lost after the work was done. */
  loseAnswer(connection: Connection, verb: "begin" | "charge" | "refund"): Promise<void>;
  /** The next refund is refused, or goes through only later. */
  nextRefund(connection: Connection, outcome: "decline" | "pending"): Promise<void>;
  /** Lets what is pending be settled. */
  settle(connection: Connection): Promise<void>;
  /** Every callback the gateway has sent for the connection so far, in the order it sent them. */
  callbacks(connection: Connection): Promise<SentCallback[]>;
  /** The callback as the gateway would have signed it at that moment (milliseconds). */
  signedAt(connection: Connection, raw: Uint8Array, at: number): SentCallback;
  /** The callback with a changed signature; an empty one is left out. */
  withSignature(sent: SentCallback, change: (signature: string) => string): SentCallback;
  /** Whether the gateway refunds through its API. */
  refunds: boolean;
  /** What people do at the gateway itself, where its owner can do things without us. */
  outside?: {
    refund(connection: Connection, reference: string, amount: number): Promise<void>;
    dispute(connection: Connection, reference: string, outcome: DisputeStatus): Promise<void>;
  };
  /** What the gateway's own books say was taken and given back for a reference, in minor units. */
  books(
    connection: Connection,
    reference: string,
  ): Promise<{ taken: number[]; givenBack: number[] }>;
};

/** For gateways that sign in a header: the callback with this header changed. */
export function withHeader(
  { raw, headers }: SentCallback,
  name: string,
  change: (value: string) => string,
): SentCallback {
  const changed = new Headers(headers);
  const value = change(headers.get(name) ?? "");
  if (value === "") changed.delete(name);
  else changed.set(name, value);
  return { raw, headers: changed };
}
