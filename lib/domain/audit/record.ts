import type { Tx } from "@/db/client";
import type { Actor } from "@/db/columns";
import { newId } from "@/lib/kernel/ids";
import type { Ctx } from "../context";
import { hashOf, redactedHashOf, sealOf } from "./hash";
import { chainKey } from "./key";
import { type AuditRow, findSealedKey, insertEntry, lockHead } from "./rows";

export type Entry = Pick<AuditRow, "action"> &
  Partial<Pick<AuditRow, "mode" | "objectId" | "address" | "requestId">> & {
    details?: Record<string, unknown>;
  };

/** Adds an entry to a business's audit log in the transaction of the change; the last thing in it, since others wait for the chain's end. */
export async function record(
  tx: Tx,
  businessId: number,
  actor: Actor,
  entry: Entry,
): Promise<void> {
  const { row, seal } = await nextEntry(tx, businessId, actor, entry);
  await insertEntry(tx, row, seal);
}

/** An entry to be written next, with the seal that makes it the newest. */
export type NextEntry = { row: AuditRow; seal: string };

/** The next entry of a business's chain, to be written in this transaction, which locks the chain. */
export async function nextEntry(
  tx: Tx,
  businessId: number,
  actor: Actor,
  entry: Entry,
): Promise<NextEntry> {
  const { head, now, key: sealedKey } = await lockHead(tx, businessId);
  const key = chainKey(sealedKey);
  const plain = {
    businessId,
    seq: head.seq + 1,
    id: newId(),
    mode: entry.mode ?? null,
    actorKind: actor.kind,
    actorId: actor.id ?? null,
    action: entry.action,
    objectId: entry.objectId ?? null,
    address: entry.address ?? null,
    requestId: entry.requestId ?? null,
    details: JSON.stringify(entry.details ?? {}),
    createdAt: now,
    redactedBy: null,
  };
  const row = { ...plain, hash: hashOf(plain, head.hash, key) };
  return { row, seal: sealOf(row, key) };
}

/** What the entry of an erasure says of the entries that it redacts, given as they are afterwards. */
export async function redactionOf(
  tx: Tx,
  rows: readonly AuditRow[],
): Promise<{ redacted: number[]; redacted_hashes: string[] }> {
  const key = chainKey(await findSealedKey(tx));
  return {
    redacted: rows.map(({ seq }) => seq),
    redacted_hashes: rows.map((row) => redactedHashOf(row, key)),
  };
}

/**
 * Holds the membership of staff in the transaction that writes the entry of their call. It is the first lock there, as in
 * a removal. Throws 403 where they may no longer make the call.
 */
export async function holdCaller({ audit }: Ctx, tx: Tx): Promise<void> {
  if (audit && !audit.written) await audit.hold?.(tx);
}

/** Writes the entry of a call by staff or the operator, once, with what the call answers. Others' calls leave none. */
export async function recordCall(ctx: Ctx, tx: Tx, data: unknown): Promise<void> {
  const { audit } = ctx;
  if (!audit || audit.written) return;
  await audit.notify?.(tx, audit);
  const id = typeof data === "object" && data !== null && "_id" in data ? data._id : undefined;
  await record(tx, ctx.businessId, ctx.actor, {
    action: audit.action,
    mode: ctx.mode,
    objectId: typeof id === "string" ? id : null,
    address: audit.address,
    requestId: ctx.requestId,
    details: audit.details,
  });
}
