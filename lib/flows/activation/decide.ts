import type { ActivationNotice } from "@/db/schema/tokenizations";
import { ERASED_EMAIL } from "@/lib/domain/payers/rules";
import type { TokenizationRow } from "@/lib/domain/tokenizations/rows";
import { isAttemptOver, isUnknownTooLong } from "@/lib/domain/tokenizations/rules";
import type {
  BeginAnswer,
  Card,
  FindAnswer,
  FindMethodAnswer,
  SavedMethod,
  Unknown,
} from "@/lib/gateways/gateway";

type Row = Pick<TokenizationRow, "status" | "attempt" | "attemptAt" | "expiresAt" | "fence">;
type PageRow = Row & Pick<TokenizationRow, "attemptGatewayId">;

export type Start =
  /** A new attempt begins. */
  | { kind: "begin" }
  /** The attempt that is open goes on, under its own key. */
  | { kind: "resume" }
  /** Nothing can be saved: the page says why. */
  | { kind: "show" };

/** What to do when a payer presses save on a locked record. */
export function decideStart(row: Row | undefined, now: number): Start {
  if (row?.status !== "pending" || Date.parse(row.expiresAt) <= now) return { kind: "show" };
  return { kind: row.attemptAt !== null && !isAttemptOver(row, now) ? "resume" : "begin" };
}

export type LookUp =
  | { kind: "settle" }
  /** The page is open and its time is over: it is cancelled at the gateway first. */
  | { kind: "cancel" };

/** What to do with the gateway's answer about an open attempt. */
export const decideLookUp = (row: Row, found: FindAnswer, now: number): LookUp => ({
  kind: found.kind === "open" && isAttemptOver(row, now) ? "cancel" : "settle",
});

export type Outcome =
  /** The answer is about an attempt that has ended, is not about the page that the payer has, or came under a claim that was lost. */
  | { kind: "ignore" }
  | { kind: "activate"; method: SavedMethod }
  /** The attempt ends without a method; the payer may begin another one. */
  | { kind: "close"; notice: ActivationNotice | null }
  /** The same without the gateway's word. The page's id stays: an erasure asks about it once more. */
  | { kind: "stop_asking" }
  /** The hosted page is open. `notice`: the payer's last try there was declined. */
  | { kind: "keep_page"; url: string; gatewayId: string | null; notice: ActivationNotice | null }
  /** There is no outcome yet. `processing`: the page asks the payer to wait. */
  | { kind: "look_again"; processing: boolean };

/**
 * A gateway without keys for its pages makes one for each request, or refuses one of them. A payer may already be at the page that was kept first, so
 * only that page counts.
 */
function isAboutAnotherRequest({ attemptGatewayId }: PageRow, answer: FindAnswer): boolean {
  if (attemptGatewayId === null) return false;
  if (answer.kind === "open") return answer.gatewayId !== attemptGatewayId;
  return answer.kind === "failed" && answer.gatewayId === "";
}

/** What an answer about attempt number `attempt` changes. `fence`: of the claim under which it was got, where there was one. */
export function decideOutcome(
  row: PageRow,
  attempt: number,
  answer: FindAnswer,
  { now, fence }: { now: number; fence?: number | undefined },
): Outcome {
  const isOpen = row.status === "pending" && row.attempt === attempt && row.attemptAt !== null;
  if (!isOpen || (fence !== undefined && row.fence !== fence)) return { kind: "ignore" };
  if (isAboutAnotherRequest(row, answer)) return { kind: "ignore" };
  switch (answer.kind) {
    case "saved":
      return { kind: "activate", method: answer.method };
    case "failed":
      // Without an attempt at the gateway the reason is for staff.
      return {
        kind: "close",
        notice:
          answer.gatewayId === ""
            ? { kind: "refused" }
            : { kind: "declined", reason: answer.reason },
      };
    case "cancelled":
      return { kind: "close", notice: { kind: "cancelled" } };
    case "open":
      return {
        kind: "keep_page",
        url: answer.url,
        gatewayId: answer.gatewayId || null,
        notice:
          answer.declined === undefined ? null : { kind: "declined", reason: answer.declined },
      };
    case "nothing":
      // The page may have been asked for and not be found yet.
      return isAttemptOver(row, now)
        ? { kind: "close", notice: null }
        : { kind: "look_again", processing: false };
    case "unknown":
      return isUnknownTooLong(row, now)
        ? { kind: "stop_asking" }
        : { kind: "look_again", processing: true };
    default:
      return { kind: "look_again", processing: true };
  }
}

export type Opening =
  | { kind: "settle"; answer: FindAnswer }
  /** No definite answer: the attempt stays open, for its key to be sent again. */
  | { kind: "keep_attempt"; notice: ActivationNotice };

/** What to do with the gateway's answer to the request for a hosted page. */
export function decideOpening(answer: BeginAnswer): Opening {
  switch (answer.kind) {
    case "redirect":
      return { kind: "settle", answer: { ...answer, kind: "open" } };
    case "refused":
      return {
        kind: "settle",
        answer: { kind: "failed", gatewayId: "", decline: "soft", reason: answer.reason },
      };
    default:
      return {
        kind: "keep_attempt",
        notice: { kind: "declined", reason: "The payment provider could not be reached." },
      };
  }
}

export type Abandoned =
  | { kind: "ignore" }
  | { kind: "close" }
  /** The payer had saved a method. It is never charged, and noted for the erasure, which has the gateway forget it. */
  | { kind: "keep_method"; method: SavedMethod }
  | { kind: "look_again" }
  | { kind: "stop_asking" };

type Addressed = Pick<TokenizationRow, "email">;

/** No later erasure finds the record of an erased payer, so no method is noted on it: the gateway forgets one at once. */
export const isErased = ({ email }: Addressed): boolean => email === ERASED_EMAIL;

/** Whether the gateway may know of a page that its word has not ended: the attempt is open, or it ended without that word. */
export const awaitsWord = (row: Pick<PageRow, "attemptAt" | "attemptGatewayId">): boolean =>
  row.attemptAt !== null || row.attemptGatewayId !== null;

/**
 * What to do with the attempt of a token that has ended under its payer, by what the gateway says after it was to close the page. A `disconnected`
 * account says nothing more.
 */
export function decideAbandoned(
  row: PageRow & Addressed,
  attempt: number,
  answer: FindAnswer,
  { now, disconnected }: { now: number; disconnected: boolean },
): Abandoned {
  if (row.status === "pending" || row.attempt !== attempt || !awaitsWord(row))
    return { kind: "ignore" };
  const isOpen = row.attemptAt !== null;
  const lookAgain = { kind: isOpen ? "look_again" : "ignore" } as const;
  switch (answer.kind) {
    case "saved":
      return isErased(row) ? { kind: "ignore" } : { kind: "keep_method", method: answer.method };
    case "cancelled":
    case "failed":
      return { kind: "close" };
    case "nothing":
      return isOpen && !isAttemptOver(row, now) ? lookAgain : { kind: "close" };
    default:
      // No payer has the address of a page without an id.
      if (answer.kind === "unknown" && row.attemptGatewayId === null)
        return disconnected || isAttemptOver(row, now) ? { kind: "close" } : lookAgain;
      return isOpen && (disconnected || isUnknownTooLong(row, now))
        ? { kind: "stop_asking" }
        : lookAgain;
  }
}

type Methodless = Pick<TokenizationRow, "methodId" | "activatedAt">;

/** Whether no method of this token is known, nor was. */
export const neverHadMethod = ({ methodId, activatedAt }: Methodless): boolean =>
  methodId === null && activatedAt === null;

export type Late =
  | { kind: "ignore" }
  | { kind: "activate"; method: SavedMethod }
  /** The token has ended too: as for one that ended under its payer. */
  | { kind: "keep_method"; method: SavedMethod };

/** What an answer about an attempt that has ended changes: a method that was saved late still counts, unless the token has another. */
export const decideLate = (
  row: Pick<Row, "status"> & Methodless & Addressed,
  answer: FindAnswer,
): Late =>
  answer.kind === "saved" && neverHadMethod(row) && !isErased(row)
    ? { kind: row.status === "pending" ? "activate" : "keep_method", method: answer.method }
    : { kind: "ignore" };

export type MethodChange =
  /** Nothing has changed, or the token has ended or saves another method now. */
  { kind: "ignore" } | { kind: "revoke" } | { kind: "update"; card: Card };

/** What the gateway's answer about a saved method changes. `methodId`: the one that was asked about, as the row had it. */
export function decideMethod(
  row: Pick<TokenizationRow, "status" | "methodId" | "brand" | "last4" | "exp"> | undefined,
  methodId: string,
  answer: Exclude<FindMethodAnswer, Unknown>,
): MethodChange {
  if (row?.status !== "active" || row.methodId !== methodId) return { kind: "ignore" };
  if (answer.kind === "gone") return { kind: "revoke" };
  const { card } = answer;
  return card.brand === row.brand && card.last4 === row.last4 && card.exp === row.exp
    ? { kind: "ignore" }
    : { kind: "update", card };
}
