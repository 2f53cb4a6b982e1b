import { createHmac } from "node:crypto";
import type { AuditRow, HeadRow } from "./rows";

const keyed = (parts: readonly unknown[], key: Buffer) =>
  createHmac("sha256", key).update(JSON.stringify(parts)).digest("base64url");

type Hashed = Omit<AuditRow, "hash" | "redactedBy">;

function partsOf(row: Hashed): unknown[] {
  const { businessId, seq, id, mode, actorKind, actorId } = row;
  const { action, objectId, address, requestId, details, createdAt } = row;
  return [
    ...[businessId, seq, id, mode, actorKind, actorId],
    ...[action, objectId, address, requestId, details, createdAt],
  ];
}

/** An entry's hash: keyed, so that the database alone is not enough to forge a chain, and over the hash before it. */
export const hashOf = (row: Hashed, before: string, key: Buffer): string =>
  keyed([before, ...partsOf(row)], key);

/** The hash of an entry as an erasure leaves it: its own hash is of the entry before that. */
export const redactedHashOf = (row: Hashed & Pick<AuditRow, "hash">, key: Buffer): string =>
  keyed(["redacted", row.hash, ...partsOf(row)], key);

/** The seal of a chain's newest entry, with the entry that it is of: an older version moves the head on and leaves the seal. */
export const sealOf = (
  { businessId, seq, hash }: Pick<HeadRow, "businessId" | "seq" | "hash">,
  key: Buffer,
): string => `${seq}:${keyed(["head", businessId, seq, hash], key)}`;

/** The entry that a seal is of; 0 without a seal, NaN for a text that is none. */
export const sealedSeq = (seal: string | null): number =>
  seal === null ? 0 : /^[1-9]\d*:/.test(seal) ? Number.parseInt(seal, 10) : Number.NaN;
