import type { TokenizationStatus } from "@/lib/contract/values";
import type { ActivationNotice } from "@/db/schema/tokenizations";
import { isSignature, signature } from "@/lib/kernel/secrets";

/** How long the gateway's hosted page takes a method; a look-up that finds nothing proves nothing before this either. */
const attemptMinutes = 30;

type Attempt = { attemptAt: string | null; expiresAt: string };

/** Until when, ISO 8601 UTC, the page of an attempt may be used: the same every time it is asked for. */
export function attemptEndsAt(row: Attempt): string {
  const end = Math.min(
    Date.parse(row.attemptAt ?? "") + attemptMinutes * 60_000,
    Date.parse(row.expiresAt),
  );
  return new Date(end).toISOString();
}

export const isAttemptOver = (row: Attempt, now: number) =>
  row.attemptAt !== null && Date.parse(attemptEndsAt(row)) <= now;

/** After so long without a definite answer an attempt ends, so that its token can expire. A callback may still report what was saved. */
const MAX_UNKNOWN_HOURS = 24;

export const isUnknownTooLong = ({ attemptAt }: Pick<Attempt, "attemptAt">, now: number) =>
  attemptAt !== null && Date.parse(attemptAt) + MAX_UNKNOWN_HOURS * 3_600_000 <= now;

/** Seconds until the next look at the gateway, by how often it was asked; a page that is merely open is in no hurry. */
export function nextCheckSeconds(checks: number, open: boolean): number {
  const seconds = [5, 10, 20, 30, 60, 120, 300][checks] ?? 600;
  return open ? Math.max(60, seconds) : seconds;
}

/** Our name of an attempt at the gateway, and its key. */
export const referenceOf = (id: string, attempt: number) => `tok_${id}_${attempt}`;

/** The record and attempt a reference speaks of; undefined for a reference of another kind. */
export function parseReference(reference: string): { id: string; attempt: number } | undefined {
  const [, id, attempt] = /^tok_([0-9a-f]{24})_([1-9]\d{0,8})$/.exec(reference) ?? [];
  return id && attempt ? { id, attempt: Number(attempt) } : undefined;
}

const returned = (id: string, attempt: number) => `${id}:${attempt}`;

/** Proves that a way back is the one given to the gateway: it leads to the token, which the id alone must not. */
export const returnProof = (id: string, attempt: number) =>
  signature(returned(id, attempt), "activation_return");

export const isReturnProof = (id: string, attempt: number, proof: string): boolean =>
  isSignature(proof, returned(id, attempt), "activation_return");

type Shown = Attempt & { status: TokenizationStatus; notice: ActivationNotice | null };

/** What the payer finds at the activation address. */
export function pageKind(
  row: Shown,
  now: number,
): "activate" | "processing" | "used" | "expired" | "revoked" {
  if (row.status === "active") return "used";
  if (row.status !== "pending") return row.status;
  const isExpired = Date.parse(row.expiresAt) <= now;
  // What an open attempt saved is not known until the gateway was asked.
  if (isExpired) return row.attemptAt === null ? "expired" : "processing";
  // The payer may try again once the page of an attempt takes no method any more.
  const isOpen = row.notice?.kind === "processing" && row.attemptAt !== null;
  return isOpen && !isAttemptOver(row, now) ? "processing" : "activate";
}
