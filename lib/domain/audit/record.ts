import { createHmac } from "node:crypto";
import type { Tx } from "@/db/client";
import type { Actor } from "@/db/columns";
import { newId } from "@/lib/kernel/ids";
import type { Ctx } from "../context";
import { chainKey } from "./key";
import { type AuditRow, insertEntry, lockHead } from "./rows";

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
  await insertEntry(tx, await nextEntry(tx, businessId, actor, entry));
}

/** The next entry of a business's chain, to be written in this transaction, which locks the chain. */
export async function nextEntry(
  tx: Tx,
  businessId: number,
  actor: Actor,
  entry: Entry,
): Promise<AuditRow> {
  const { head, now, key } = await lockHead(tx, businessId);
  const row = {
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
  return { ...row, hash: hashOf(row, head.hash, chainKey(key)) };
}

/**
 * Holds the membership of staff in the transaction that writes the entry of their call. It is the first lock there, as in
 * a removal. Throws 403 where they may no longer make the call.
 */
export async function holdCaller({ audit }: Ctx, tx: Tx): Promise<void> {
  if (audit && !audit.written) await audit.hold?.(tx);
}

/** Writes the entry of a call by staff, once, with what the call answers. Others' calls leave none. */
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

/** An entry's hash: keyed, so that the database alone is not enough to forge a chain, and over the hash before it. */
export function hashOf(
  row: Omit<AuditRow, "hash" | "redactedBy">,
  before: string,
  key: Buffer,
): string {
  const {
    businessId,
    seq,
    id,
    mode,
    actorKind,
    actorId,
    action,
    objectId,
    address,
    requestId,
    details,
    createdAt,
  } = row;
  return createHmac("sha256", key)
    .update(
      JSON.stringify([
        before,
        businessId,
        seq,
        id,
        mode,
        actorKind,
        actorId,
        action,
        objectId,
        address,
        requestId,
        details,
        createdAt,
      ]),
    )
    .digest("base64url");
}
