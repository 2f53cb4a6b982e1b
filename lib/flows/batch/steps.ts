import { db, type Tx } from "@/db/client";
import { databaseNow } from "@/db/now";
import { isUnfiltered } from "@/db/filters";
import { heavyRead } from "@/db/heavy-reads";
import type { Batch, BatchInput, BatchReport, BatchSelection } from "@/lib/contract/batches";
import { batchLimits } from "@/lib/contract/batch-values";
import { presentBatch, shownWith } from "@/lib/domain/batches/present";
import {
  type BatchRow,
  findBatch,
  insertBatch,
  insertChangedItems,
  insertItems,
  lockBatch,
  markUndone,
  reopenUndo,
  skippedItems,
  stopOpen,
  stopSends,
  unreachedLinks,
} from "@/lib/domain/batches/rows";
import { canUndo } from "@/lib/domain/batches/rules";
import type { Ctx } from "@/lib/domain/context";
import { assertConnected } from "@/lib/domain/gateway-connections/connected";
import { validateExpiry } from "@/lib/domain/expiry";
import { commit } from "@/lib/domain/idempotency/commit";
import { mailedOfBatch, unmailedLinks } from "@/lib/domain/mails/rows";
import { matchingLinks } from "@/lib/domain/payment-links/list-rows";
import { presentLink } from "@/lib/domain/payment-links/present";
import {
  countReminded,
  lockWithDefault,
  withdrawDefault,
} from "@/lib/domain/payment-links/reminder-rows";
import { linksById, linksOfImport } from "@/lib/domain/payment-links/rows";
import { earliestMoment } from "@/lib/domain/test-clocks/rows";
import { assertNone, conflict, type FieldErrors, invalid, notFound } from "@/lib/kernel/problem";

const REPORTED = 500;

/**
 * What the fields together, the records and the clocks say against a batch. A field that is wrong already, by `refused`, is left out. A
 * link that follows a later clock is skipped by the work.
 */
export async function validateBatch(
  ctx: Ctx,
  input: Partial<BatchInput>,
  refused: FieldErrors = {},
): Promise<FieldErrors> {
  const { ids, expires_at } = input;
  const links = ids && (await linksById(ctx, ids));
  const clocks = links?.flatMap(({ testClockId }) => testClockId ?? []);
  const errors = {
    ...misfits(input, refused),
    ...(expires_at
      ? await validateExpiry({ expires_at }, await earliestMoment(ctx, clocks))
      : undefined),
  };
  if (ids) {
    const known = new Set(links?.map(({ id }) => id));
    for (const [at, id] of ids.entries())
      if (!known.has(id)) errors[`ids.${at}`] = [`The selected ids.${at} is invalid.`];
  }
  return errors;
}

/** The fields that the others make necessary, or rule out. A refused one was sent all the same. */
function misfits(input: Partial<BatchInput>, refused: FieldErrors): FieldErrors {
  const sent = (field: keyof BatchInput) =>
    input[field] !== undefined ||
    Object.keys(refused).some((name) => name.split(".", 1)[0] === field);
  const extending = input.action === "extend";
  return {
    ...(extending && !sent("expires_at") && !sent("extend_days")
      ? { expires_at: ["The expires at field is required when extend days is not present."] }
      : {}),
    ...(extending && sent("expires_at") && sent("extend_days")
      ? { extend_days: ["The extend days field is prohibited when expires at is present."] }
      : {}),
    ...(extending && input.shorten && sent("extend_days")
      ? { shorten: ["The shorten field is prohibited when extend days is present."] }
      : {}),
    ...(extending && input.move_due && sent("expires_at")
      ? { move_due: ["The move due field is prohibited when expires at is present."] }
      : {}),
    ...(!sent("ids") && !sent("expected")
      ? { expected: ["The expected field is required when ids is not present."] }
      : {}),
  };
}

/** Starts a batch over the links that match. Throws 409 when another number matches than expected, 422. */
export async function start(
  ctx: Ctx,
  selection: BatchSelection,
  input: BatchInput,
): Promise<Batch> {
  assertNone(await validateBatch(ctx, input));
  const { action, ids, expected } = input;
  if (action === "remind") await assertConnected(ctx);
  const found =
    ids && isUnfiltered(selection)
      ? [...new Set(ids)]
      : await heavyRead(ctx, "search", () =>
          matchingLinks(ctx, selection, ids, batchLimits.links + 1),
        );
  if (found.length > batchLimits.links)
    throw invalid({
      expected: [`The expected must not be greater than ${batchLimits.links}.`],
    });
  if (found.length === 0) throw conflict("No payment link matches.");
  if (expected !== undefined && found.length !== expected)
    throw conflict(`${found.length} payment links match now, not ${expected}.`);
  return commit(ctx, async (tx) => {
    const row = await insertBatch(ctx, tx, {
      action,
      total: found.length,
      ...(action === "extend" ? extensionOf(input) : {}),
      delaySeconds: action === "remind" ? batchLimits.mailDelaySeconds : 0,
    });
    await insertItems(tx, row, found);
    return presentBatch(row, await shownWith(ctx, [row], tx));
  });
}

const extensionOf = ({ expires_at, extend_days, move_due, shorten = false }: BatchInput) => ({
  expiresAt: expires_at ?? null,
  ...(move_due ? { postponeDays: extend_days ?? null } : { extendDays: extend_days ?? null }),
  shorten,
});

/**
 * Stops a batch after the part that is being worked. What an undo did not reach can be undone again, and whom the mails of an import did not reach
 * is not reminded by the settings. Throws 404, 409 when it is done or stopped.
 */
export async function stop(ctx: Ctx, id: string): Promise<Batch> {
  return commit(ctx, async (tx) => {
    if (!(await lockBatch(ctx, tx, id))) throw notFound();
    const row = await stopOpen(ctx, tx, id);
    if (!row) throw conflict("This batch is already done or stopped.");
    if (row.done < row.total) await reopenUndo(ctx, tx, row);
    if (row.action === "send") await withdrawDefaults(ctx, tx, row);
    return presentBatch(row, await shownWith(ctx, [row], tx));
  });
}

/** The default came with the mail: without that a payer would be reminded of what they never got. */
async function withdrawDefaults(ctx: Ctx, tx: Tx, send: BatchRow): Promise<void> {
  const locked = await lockWithDefault(ctx, tx, await unreachedLinks(send, tx));
  // Under the lock: someone may have mailed a link by hand just now.
  await withdrawDefault(ctx, tx, await unmailedLinks(ctx, tx, locked));
}

/** Stops a batch, and starts one that gives back what it changed. Returns the new one. Throws 404, 409. */
export async function undo(ctx: Ctx, id: string): Promise<Batch> {
  return commit(ctx, async (tx) => {
    const before = await lockBatch(ctx, tx, id);
    if (!before) throw notFound();
    const now = await databaseNow(tx);
    if (before.undoneBy) throw conflict("This batch was undone before.");
    if (!canUndo(before, now)) throw conflict(refusal(before));
    const stopped = (await stopOpen(ctx, tx, id)) ?? before;
    const batch = await giveBack(ctx, tx, stopped);
    const row = await insertBatch(ctx, tx, batch.values);
    if (batch.links) await insertItems(tx, row, batch.links);
    else await insertChangedItems(tx, row, id);
    if (before.action === "import")
      for (const send of await stopSends(ctx, tx, id)) await withdrawDefaults(ctx, tx, send);
    await markUndone(ctx, tx, id, row.id);
    return presentBatch(row, await shownWith(ctx, [row], tx));
  });
}

/** The batch that gives another one back. Links of an import are cancelled. */
async function giveBack(ctx: Ctx, tx: Tx, { id, action, changed }: BatchRow) {
  if (action !== "import")
    return { values: { action: "undo", total: changed, undoOf: id } as const };
  const links = await linksOfImport(ctx, tx, id);
  return { values: { action: "cancel", total: links.length, undoOf: id } as const, links };
}

function refusal({ action, changed, undoOf }: BatchRow): string {
  if (action === "remind" || action === "send") return "Mails cannot be undone.";
  if (undoOf !== null) return "This batch has undone another one.";
  return changed === 0 ? "This batch changed nothing." : "This batch is too old to be undone.";
}

/** What a batch has skipped and why, whom it had mailed before, and whom it will remind though it was stopped. Throws 404. */
export async function report(ctx: Ctx, id: string): Promise<BatchReport> {
  const batch = await findBatch(ctx, id);
  if (!batch) throw notFound();
  const { reasons, first } = await skippedItems(batch, REPORTED);
  const mailed =
    batch.action === "cancel" ? await mailedOfBatch(ctx, id, REPORTED) : { count: 0, first: [] };
  const isStoppedSend = batch.action === "send" && batch.status === "stopped";
  const links = await linksById(ctx, [
    ...first.map(({ paymentLinkId }) => paymentLinkId),
    ...mailed.first,
  ]);
  const byId = new Map(links.map((link) => [link.id, link]));
  return {
    reasons: reasons.flatMap(({ reason, count }) => (reason ? [{ reason, count }] : [])),
    skipped: first.flatMap(({ reason, paymentLinkId }) => {
      const link = byId.get(paymentLinkId);
      return reason && link ? [{ reason, payment_link: presentLink(link) }] : [];
    }),
    mailed: mailed.count,
    mailed_links: mailed.first.flatMap((linkId) => {
      const link = byId.get(linkId);
      return link ? [presentLink(link)] : [];
    }),
    with_reminders: isStoppedSend
      ? await countReminded(ctx, await unmailedLinks(ctx, db, await unreachedLinks(batch)))
      : 0,
  };
}
