import { notifyChange } from "@/db/changes";
import { db, type Executor, type Tx, withTransaction } from "@/db/client";
import { databaseNow } from "@/db/now";
import { overSet } from "@/db/sets";
import {
  type BatchItem,
  type BatchRow,
  beginPart,
  dueBatches,
  endPart,
  findBatch,
  itemsAt,
  openItems,
  type Outcome,
} from "@/lib/domain/batches/rows";
import { daysOf, isOpen } from "@/lib/domain/batches/rules";
import { findBusiness } from "@/lib/domain/businesses/rows";
import type { Ctx } from "@/lib/domain/context";
import { laterExpiry } from "@/lib/domain/expiry";
import { previousOf } from "@/lib/domain/events/changes";
import { emit } from "@/lib/domain/events/emit";
import { mailedOften, sendLinks } from "@/lib/domain/mails/resend";
import { unmailedLinks } from "@/lib/domain/mails/rows";
import { findLinkEver } from "@/lib/domain/payment-links/payer-rows";
import { presentLink } from "@/lib/domain/payment-links/present";
import {
  changeLink,
  type LinkRow,
  linksWithPayer,
  lockLink,
} from "@/lib/domain/payment-links/rows";
import { replanReminders } from "@/lib/domain/payment-links/reminder-rows";
import { linksWithKeptMoney } from "@/lib/domain/payments/kind-rows";
import { editOf } from "@/lib/domain/versions/edits";
import { type ClockRow, findClock, lockClock } from "@/lib/domain/test-clocks/rows";
import { assertHeld } from "@/lib/jobs/claim-rows";
import { isoOf } from "@/lib/kernel/clock";
import { Problem } from "@/lib/kernel/problem";
import { releaseLink } from "../link-change/release";
import { decide } from "./decide";

/** Links of one transaction, and how long a claim goes on with the next ones before other businesses have their turn. */
const PART_LINKS = 100;
const SLICE_MS = 2_000;

/** Works a claimed batch for a while. A part is one transaction; after a crash the next worker goes on behind it. */
export async function workBatch(ctx: Ctx, batch: BatchRow, stopping: AbortSignal): Promise<void> {
  const until = performance.now() + SLICE_MS;
  while (!stopping.aborted && performance.now() < until) if (!(await workPart(ctx, batch))) return;
}

/** Works the next links; false when none are left or the batch was stopped. */
async function workPart(ctx: Ctx, batch: BatchRow): Promise<boolean> {
  const items = await openItems(batch, PART_LINKS);
  const originals = await originalsOf(batch, items);
  if (batch.action === "cancel" || batch.action === "extend") await releaseOpen(ctx, batch, items);
  return withTransaction(async (tx) => {
    await assertHeld(tx, dueBatches.table, [batch]);
    if (!(await beginPart(tx, batch))) return false;
    const locked = await overSet(tx, items, async (item) => {
      const link = await lockLink(ctx, tx, item.paymentLinkId, true);
      // A clock is not deleted while the batch changes the links that follow it.
      return withClock(ctx, item, link, (clock) => lockClock(ctx, tx, clock, "key share"));
    });
    const decided = await decideAll(ctx, tx, { batch, originals, found: locked });
    await sendLinks(
      ctx,
      tx,
      decided.flatMap(({ link, decision }) => (decision.kind === "mail" && link ? [link] : [])),
      batch.action === "remind" ? "payment_reminder" : "payment_link",
    );
    const outcomes = await overSet(tx, decided, (one) => carryOut(one.at, tx, one));
    const isLast = items.length < PART_LINKS;
    await endPart(tx, batch, outcomes, isLast);
    await notifyChange(tx, ctx, "batch.progress", batch.id);
    return !isLast;
  });
}

/** `at`: as of the test clock that the link follows. */
type Found = { item: BatchItem; link: LinkRow | undefined; at: Ctx; clockDeleted: boolean };
type Decided = Found & { decision: ReturnType<typeof decide> };

async function withClock(
  ctx: Ctx,
  item: BatchItem,
  link: LinkRow | undefined,
  read: (clockId: string) => Promise<ClockRow | undefined>,
): Promise<Found> {
  const clockId = link?.testClockId ?? null;
  const clock = clockId === null ? undefined : await read(clockId);
  return {
    item,
    link,
    at: clock ? { ...ctx, now: clock.time } : ctx,
    clockDeleted: clockId !== null && clock === undefined,
  };
}

async function decideAll(
  ctx: Ctx,
  on: Executor,
  {
    batch,
    originals,
    found,
  }: { batch: BatchRow; originals: Map<number, BatchItem>; found: readonly Found[] },
): Promise<Decided[]> {
  const now = await databaseNow(on);
  const ids = found.map(({ item }) => item.paymentLinkId);
  const { action } = batch;
  const often = await mailedBefore(ctx, on, batch, ids);
  const withMoney =
    action === "remind" || action === "send"
      ? await linksWithKeptMoney(ctx, on, ids)
      : new Set<string>();
  const zone = daysOf(batch) === null ? "UTC" : await zoneOf(ctx, on);
  return found.map((one) => {
    const { item, link, at, clockDeleted } = one;
    const here = at.now ?? isoOf(new Date(now));
    const passed = (moment: string | null | undefined) =>
      moment != null && Date.parse(moment) <= Date.parse(here);
    const over = passed(link?.expiresAt);
    const later = (own: string | null, days: number) =>
      laterExpiry(own === null || passed(own) ? here : own, days, zone);
    const days = daysOf(batch);
    // Days count from the link's own moment, or from now where that has passed.
    const newExpiry = days === null ? batch.expiresAt : later(link?.expiresAt ?? null, days);
    const newDue =
      batch.postponeDays === null || link?.dueAt == null
        ? null
        : later(link.dueAt, batch.postponeDays);
    const decision = decide({
      batch,
      link,
      clockDeleted,
      original: originals.get(item.position),
      over,
      newExpiry,
      newDue,
      newExpiryPassed: passed(newExpiry),
      keptMoney: withMoney.has(item.paymentLinkId),
      mailedOften: often.has(item.paymentLinkId),
    });
    return { ...one, decision };
  });
}

/** Whom a batch that mails leaves out. The mails of an import wait, so a payer may have had one by hand meanwhile. */
async function mailedBefore(
  ctx: Ctx,
  on: Executor,
  { action }: BatchRow,
  ids: readonly string[],
): Promise<ReadonlySet<string>> {
  if (action === "remind") return mailedOften(ctx, on, ids);
  if (action !== "send") return new Set();
  const unmailed = new Set(await unmailedLinks(ctx, on, ids));
  return new Set(ids.filter((id) => !unmailed.has(id)));
}

async function zoneOf(ctx: Ctx, on: Executor): Promise<string> {
  const business = await findBusiness(ctx.businessId, on);
  if (!business) throw new Error("a business with a batch is gone");
  return business.timeZone;
}

async function carryOut(ctx: Ctx, tx: Tx, { item, link, decision }: Decided): Promise<Outcome> {
  const { position } = item;
  if (decision.kind === "skip" || !link)
    return {
      position,
      outcome: "skipped",
      reason: decision.kind === "skip" ? decision.reason : "deleted",
    };
  if (decision.kind === "mail") return { position, outcome: "changed" };
  const { status, ...values } = decision.set;
  const row = await changeLink(ctx, tx, link.id, {
    ...values,
    ...editOf(ctx, link, values),
    ...(status ? { status } : {}),
  });
  await replanReminders(ctx, tx, link, row);
  const data = presentLink(row);
  await emit(ctx, tx, {
    type: `payment_link.${decision.event}`,
    objectId: link.id,
    data,
    previous: previousOf(presentLink(link), data),
  });
  return {
    position,
    outcome: "changed",
    previousStatus: link.status,
    previousExpiresAt: link.expiresAt,
    ...(values.dueAt === undefined
      ? { linkUpdatedAt: row.updatedAt }
      : { previousDueAt: link.dueAt, postponedAt: row.updatedAt }),
  };
}

async function originalsOf(
  batch: BatchRow,
  items: readonly BatchItem[],
): Promise<Map<number, BatchItem>> {
  if (batch.action !== "undo" || batch.undoOf === null) return new Map();
  const rows = await itemsAt(
    batch,
    batch.undoOf,
    items.map(({ position }) => position),
  );
  return new Map(rows.map((row) => [row.position, row]));
}

/** Takes the pages of payers who are at the gateway away, one by one, where the batch would change their links. Where that fails the link is skipped. */
async function releaseOpen(ctx: Ctx, batch: BatchRow, items: readonly BatchItem[]): Promise<void> {
  const ids = new Set(
    await linksWithPayer(
      ctx,
      items.map(({ paymentLinkId }) => paymentLinkId),
    ),
  );
  if (ids.size === 0) return;
  const withPayer = await Promise.all(
    items
      .filter(({ paymentLinkId }) => ids.has(paymentLinkId))
      .map(async (item) => {
        const link = await findLinkEver(ctx, item.paymentLinkId);
        return withClock(ctx, item, link, (clock) => findClock(ctx, clock));
      }),
  );
  for (const { item, decision } of await decideAll(ctx, db, {
    batch,
    originals: new Map(),
    found: withPayer,
  })) {
    if (decision.kind !== "skip" || decision.reason !== "payer_at_gateway") continue;
    // A call to the gateway takes time, in which the batch may have been stopped.
    const current = await findBatch(ctx, batch.id);
    if (!current || !isOpen(current)) return;
    try {
      await releaseLink(ctx, item.paymentLinkId);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
    }
  }
}
