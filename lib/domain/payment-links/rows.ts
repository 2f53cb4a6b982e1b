import {
  asc,
  eq,
  getTableColumns,
  inArray,
  isNotNull,
  isNull,
  lte,
  type SQL,
  sql,
} from "drizzle-orm";
import { db, type Executor, type Tx } from "@/db/client";
import { nowOf } from "@/db/columns";
import { owned } from "@/db/owned";
import { changeRows, inOrder, setwise } from "@/db/sets";
import { paymentLinks as links } from "@/db/schema/payment-links";
import type { Reminder } from "@/lib/contract/reminders";
import type { Due } from "@/lib/jobs/claim-rows";
import type { Ctx } from "../context";
import { clockTimeOf } from "../test-clocks/rows";
import { defaultInEffect } from "./default-rows";
import { isOverdue } from "./rules";

type StoredLink = typeof links.$inferSelect;
/** `overdue` and `defaultInEffect`: whether it was overdue, and which reminders it had by default, when it was read or written. */
export type LinkRow = StoredLink & { overdue: boolean; defaultInEffect: Reminder[] };

const followsClock = sql`${links.testClockId} is not null`;
/** SQL: the moment that counts for a link: of the test clock that it follows, else of the database's. */
export const linkNow = sql`(case when ${followsClock} then ${clockTimeOf(links)} else now() end)`;

/** SQL: whether a link waits to be paid after its due date. The indexes of due dates and of clocks serve its two parts. */
export const overdue = sql<boolean>`(${links.status} in ('Active', 'Processing') and ${links.dueAt} is not null
  and ((${links.testClockId} is null and ${links.dueAt} <= now()) or (${followsClock} and ${links.dueAt} <= ${clockTimeOf(links)})))`;

/** Every column, for code that changes links. */
export const allColumns = { ...getTableColumns(links), overdue, defaultInEffect };

/** Columns that no reader of the API sees. */
const INTERNAL = [
  "sendEmail",
  "changedBy",
  "changedAt",
  "openPaymentId",
  "periodStart",
  "periodEnd",
  "mailed",
  "firstOpenedAt",
  "tried",
  "deletedAt",
  "defaultReminders",
  "nextReminderAt",
  "remindersDone",
  "leasedBy",
  "leasedUntil",
  "fence",
  "failures",
] as const satisfies readonly (keyof StoredLink)[];
type Internal = (typeof INTERNAL)[number];

/** A link as lists and single reads fetch it: every column costs time in each row. */
export type ShownLink = Omit<LinkRow, Internal>;
export const storedColumns = Object.fromEntries(
  Object.entries(getTableColumns(links)).filter(
    ([name]) => !(INTERNAL as readonly string[]).includes(name),
  ),
) as Omit<typeof links._.columns, Internal>;
export const shownColumns = { ...storedColumns, overdue, defaultInEffect };

/** What every new link begins with, by the defaults of its columns. */
const beginning = {
  status: "Active",
  version: 1,
  changedBy: null,
  changedAt: null,
  openPaymentId: null,
  mailed: false,
  firstOpenedAt: null,
  tried: false,
  paidAt: null,
  overdue: false,
  // The insert plans them.
  defaultReminders: null,
  defaultInEffect: [],
  nextReminderAt: null,
  remindersDone: null,
  deletedAt: null,
  leasedBy: null,
  leasedUntil: null,
  fence: 0,
  failures: 0,
} satisfies Partial<LinkRow>;
/** What only links of a subscription's period, of an import or of a shop plugin have. */
const standalone = {
  subscriptionId: null,
  periodStart: null,
  periodEnd: null,
  testClockId: null,
  importId: null,
  integrationId: null,
} satisfies Partial<LinkRow>;
type Given = "businessId" | "mode" | "id" | "createdAt" | "updatedAt";

/** Every other column: one that is added to the table must be given here to compile. */
export type LinkValues = Omit<LinkRow, Given | keyof typeof beginning | keyof typeof standalone>;
export type NewLink = LinkValues & Partial<Pick<LinkRow, keyof typeof standalone>>;

/** A link as it will be once it is written, but for its two moments and what follows from them. */
export const newRow = ({ businessId, mode }: Ctx, id: string, values: NewLink): LinkRow => ({
  ...beginning,
  ...standalone,
  ...values,
  businessId,
  mode,
  id,
  createdAt: "",
  updatedAt: "",
});

export const live = isNull(links.deletedAt);
export const value = sql.placeholder;

/** The link of that id, all of it. */
export async function findLink(ctx: Ctx, id: string): Promise<LinkRow | undefined> {
  const [row] = await db
    .select(allColumns)
    .from(links)
    .where(owned(ctx, links, eq(links.id, id), live));
  return row;
}

const idOf = ({ id }: { id: string }) => id;
const lockEver = setwise<Ctx, string, LinkRow | undefined>(async (ctx, tx, ids) => {
  const rows = await tx
    .select(allColumns)
    .from(links)
    .where(owned(ctx, links, inArray(links.id, [...ids])))
    .orderBy(asc(links.id))
    .for("no key update");
  return inOrder(ids, rows, String, idOf);
});

/** The link under its row lock, deleted ones too when asked. */
export async function lockLink(
  ctx: Ctx,
  tx: Tx,
  id: string,
  deletedToo = false,
): Promise<LinkRow | undefined> {
  const row = await lockEver(ctx, tx, id);
  return deletedToo || row?.deletedAt === null ? row : undefined;
}

/** SQL: whether a link takes money now. */
export const payable = sql<boolean>`(${links.deletedAt} is null and ${links.status} = 'Active' and coalesce(${links.expiresAt} > ${linkNow}, true))`;
// The clock may have passed the expiry since then.
const payableThen = (moment: string) =>
  sql<boolean>`(${links.deletedAt} is null and ${links.status} in ('Active', 'Expired') and coalesce(${links.expiresAt} > ${moment}::timestamptz, true))`;

/** Whether the link of that id takes money now; with `moment`, whether one that follows a test clock takes money but for what expired after it. */
export const isPayable = async (
  ctx: Ctx,
  on: Executor,
  id: string,
  moment?: string,
): Promise<boolean> => (await payerOfLink(ctx, on, id, moment))?.payable ?? false;

/** The same, with who its payer is, when it was last edited, and whether a payment of it is under way. */
export async function payerOfLink(
  ctx: Ctx,
  on: Executor,
  id: string,
  moment?: string,
): Promise<
  { payable: boolean; isProcessing: boolean; email: string; changedAt: string | null } | undefined
> {
  const [row] = await on
    .select({
      email: links.email,
      changedAt: links.changedAt,
      isProcessing: sql<boolean>`(${links.deletedAt} is null and ${links.status} = 'Processing')`,
      payable:
        moment === undefined
          ? payable
          : sql<boolean>`(case when ${followsClock} then ${payableThen(moment)} else ${payable} end)`,
    })
    .from(links)
    .where(owned(ctx, links, eq(links.id, id)));
  return row;
}

/** The moment that counts for the link of that id, in milliseconds. */
export async function linkMoment(ctx: Ctx, id: string): Promise<number | undefined> {
  const [row] = await db
    .select({ ms: sql<number>`extract(epoch from ${linkNow})::float8 * 1000` })
    .from(links)
    .where(owned(ctx, links, eq(links.id, id)));
  return row?.ms;
}

/** SQL: a moment, or one microsecond after the last change while a test clock is not advanced: no two changes of a link share their `updated_at`. */
const later = (moment: SQL) =>
  sql`greatest(${moment}, (select ${links.updatedAt} + interval '1 microsecond'))`;

type LinkChange = { id: string; change: Partial<LinkRow> };
const changeLinks = setwise<Ctx, LinkChange, LinkRow | undefined>(async (ctx, tx, list) => {
  const changes = list.map(({ id, change }) => ({
    where: { id },
    set: change,
  }));
  const always = { updatedAt: later(nowOf(ctx)) };
  const rows = await changeRows(tx, links, owned(ctx, links), changes, always, { defaultInEffect });
  return inOrder(list, rows.map(asWritten), idOf, idOf);
});

/** A row that was written a moment ago. */
export const asWritten = (row: Omit<LinkRow, "overdue">): LinkRow => ({
  ...row,
  overdue: isOverdue(row, row.updatedAt),
});

/** Changes a locked link. */
export async function changeLink(
  ctx: Ctx,
  tx: Tx,
  id: string,
  change: Partial<LinkRow>,
): Promise<LinkRow> {
  const row = await changeLinks(ctx, tx, { id, change });
  if (!row) throw new Error("a locked payment link is gone");
  return row;
}

/**
 * Two files of one business that are read at the same time could each make what is in both: the second waits here for the first. Returns
 * the moment when the wait ends, in microseconds since 1970.
 */
export async function lockBulk(ctx: Ctx, tx: Tx): Promise<number> {
  await tx.execute(
    sql`select pg_advisory_xact_lock(hashtextextended(${`payment-links bulk ${ctx.businessId} ${ctx.mode}`}, 0))`,
  );
  const { rows } = await tx.execute<{ micros: string }>(
    sql`select (extract(epoch from clock_timestamp()) * 1000000)::bigint as micros`,
  );
  return Number(rows[0]?.micros);
}

/** A condition: one of these ids. */
export const anyOf = (ids: readonly string[]) =>
  sql`${links.id} = any(${sql.param([...ids])}::text[])`;

/** The links of these ids, deleted ones too. */
export async function linksById(ctx: Ctx, ids: readonly string[]): Promise<ShownLink[]> {
  if (ids.length === 0) return [];
  return db
    .select(shownColumns)
    .from(links)
    .where(owned(ctx, links, anyOf(ids)));
}

/** The ids of the links that an import has created, the oldest first. */
export async function linksOfImport(ctx: Ctx, on: Executor, importId: string): Promise<string[]> {
  const rows = await on
    .select({ id: links.id })
    .from(links)
    .where(owned(ctx, links, eq(links.importId, importId), live))
    .orderBy(links.createdAt, links.id);
  return rows.map(({ id }) => id);
}

/** Those of the links that a payer has an attempt open for. */
export async function linksWithPayer(ctx: Ctx, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return [];
  const rows = await db
    .select({ id: links.id })
    .from(links)
    .where(owned(ctx, links, anyOf(ids), isNotNull(links.openPaymentId)));
  return rows.map(({ id }) => id);
}

/** Takes a link out of every read; its payments and events stay. */
export async function markDeleted(ctx: Ctx, tx: Tx, id: string): Promise<void> {
  await tx
    .update(links)
    .set({ deletedAt: sql`now()` })
    .where(owned(ctx, links, eq(links.id, id)));
}

/** Marks which attempt is in flight, without a trace in `updated_at`. */
export async function setOpenPayment(
  ctx: Ctx,
  tx: Tx,
  id: string,
  paymentId: string | null,
): Promise<void> {
  await tx
    .update(links)
    .set({ openPaymentId: paymentId })
    .where(owned(ctx, links, eq(links.id, id)));
}

/** Period links of several subscriptions, newest period first, at most `limit` of each. */
export async function periodLinks(
  ctx: Ctx,
  on: Executor,
  subscriptionIds: readonly string[],
  limit: number,
): Promise<LinkRow[]> {
  if (subscriptionIds.length === 0) return [];
  const place = sql<number>`row_number() over (partition by ${links.subscriptionId} order by ${links.periodStart} desc, ${links.createdAt} desc, ${links.id} desc)`;
  const ranked = on
    .select({
      ...allColumns,
      overdue: overdue.as("overdue"),
      defaultInEffect: defaultInEffect.as("default_in_effect"),
      place: place.as("place"),
    })
    .from(links)
    .where(owned(ctx, links, inArray(links.subscriptionId, [...subscriptionIds]), live))
    .as("ranked");
  return on.select().from(ranked).where(lte(ranked.place, limit)).orderBy(ranked.place);
}

/** The period links of a subscription that wait for a payer or for the outcome of a payment, under their row locks. */
export async function lockOpenPeriodLinks(
  ctx: Ctx,
  tx: Tx,
  subscriptionId: string,
): Promise<LinkRow[]> {
  return tx
    .select(allColumns)
    .from(links)
    .where(
      owned(
        ctx,
        links,
        eq(links.subscriptionId, subscriptionId),
        inArray(links.status, ["Active", "Processing"]),
        live,
      ),
    )
    .orderBy(links.id)
    .for("no key update");
}

/** Active links that have passed their expiry by the real clock and that no payer is paying. */
export const expiringLinks: Due<typeof links> = {
  table: links,
  fairBy: [links.businessId],
  moment: links.expiresAt,
  where: sql`${links.status} = 'Active' and ${links.expiresAt} is not null and ${links.testClockId} is null and ${links.deletedAt} is null and ${links.openPaymentId} is null`,
};

/** Shows the dashboards that are open how far an import is, before it commits. */
export async function notifyProgress(
  { businessId, mode }: Ctx,
  importId: string,
  progress: { done: number; total: number },
): Promise<void> {
  const message = JSON.stringify([businessId, mode, "import.progress", importId, progress]);
  await db.execute(sql`select pg_notify('kutip_changes', ${message})`);
}
