import {
  and,
  asc,
  desc,
  eq,
  getTableColumns,
  ilike,
  inArray,
  isNull,
  notInArray,
  or,
  type SQL,
  sql,
} from "drizzle-orm";
import { db, type Executor, type Tx } from "@/db/client";
import { eventHorizon } from "@/db/event-horizon";
import { keyset, type Walk } from "@/db/page";
import { eventCursors, events } from "@/db/schema/events";
import { mails } from "@/db/schema/mails";
import { paymentLinks as links } from "@/db/schema/payment-links";
import { type MailQuery, subscriptionMailKinds, tokenMailKinds } from "@/lib/contract/mails";
import { mailKinds } from "@/lib/contract/values";
import type { Ctx } from "../context";
import type { EventRow } from "../events/rows";
import { payable } from "../payment-links/rows";

export type MailRow = typeof mails.$inferSelect;
/** `payable`: it is about a payment link that takes money now. */
export type MailWithLink = MailRow & { payable: boolean };
export type NewMail = Pick<
  MailRow,
  | "id"
  | "businessId"
  | "mode"
  | "kind"
  | "cause"
  | "objectId"
  | "recipient"
  | "subject"
  | "html"
  | "text"
> &
  Partial<Pick<MailRow, "createdAt">>;

/** Puts a mail into the outbox; a second one of the same cause and kind is left out. */
export async function insertMail(on: Executor, mail: NewMail): Promise<void> {
  await on
    .insert(mails)
    .values({ ...mail, nextTryAt: sql`now()` })
    .onConflictDoNothing();
}

const reader = "mail";

/** Events that ask for a mail, from where the last run stopped; undefined when another worker is at it. */
export async function unscopedMailEvents(tx: Tx, limit: number): Promise<EventRow[] | undefined> {
  await tx.insert(eventCursors).values({ reader, xid: "0", seq: 0 }).onConflictDoNothing();
  const [cursor] = await tx
    .select()
    .from(eventCursors)
    .where(eq(eventCursors.reader, reader))
    .for("update", { skipLocked: true });
  if (!cursor) return undefined;
  return tx
    .select()
    .from(events)
    .where(
      and(
        sql`${events.mail} is not null`,
        sql`${events.xid} < ${eventHorizon}`,
        sql`(${events.xid}, ${events.seq}) > (${cursor.xid}::xid8, ${cursor.seq}::bigint)`,
      ),
    )
    .orderBy(asc(events.xid), asc(events.seq))
    .limit(limit);
}

/** Notes how far the events have been turned into mails, in the same transaction. */
export async function unscopedMoveCursor(
  tx: Tx,
  last: Pick<EventRow, "xid" | "seq">,
): Promise<void> {
  await tx
    .update(eventCursors)
    .set({ xid: last.xid, seq: last.seq })
    .where(eq(eventCursors.reader, reader));
}

/** Claims mails that are due, each for one worker; the lease outlasts the transport's time limit. */
export async function unscopedClaimMails(limit: number): Promise<MailRow[]> {
  const due = db
    .select({ id: mails.id })
    .from(mails)
    .where(
      and(
        sql`${mails.nextTryAt} <= now()`,
        or(isNull(mails.leasedUntil), sql`${mails.leasedUntil} <= now()`),
      ),
    )
    .orderBy(mails.nextTryAt)
    .limit(limit)
    .for("update", { skipLocked: true });
  return db
    .update(mails)
    .set({ leasedUntil: sql`now() + interval '90 seconds'` })
    .where(sql`${mails.id} in (with due as materialized ${due} select * from due)`)
    .returning();
}

/** Writes what became of a try; `seconds` until the next one, null when it is over. */
export async function unscopedCloseMail(
  id: string,
  status: MailRow["status"],
  error: string | null,
  seconds: number | null,
): Promise<void> {
  await db
    .update(mails)
    .set({
      status,
      error,
      tries: sql`${mails.tries} + 1`,
      leasedUntil: null,
      nextTryAt: seconds === null ? null : sql`now() + make_interval(secs => ${seconds})`,
      ...(status === "sent" ? { sentAt: sql`now()` } : {}),
    })
    .where(eq(mails.id, id));
}

/** Puts a mail off that its recipient's limit holds back; no try is counted. */
export async function unscopedPostponeMail(id: string, seconds: number): Promise<void> {
  await db
    .update(mails)
    .set({
      status: "waiting",
      leasedUntil: null,
      nextTryAt: sql`now() + make_interval(secs => ${seconds})`,
    })
    .where(eq(mails.id, id));
}

/** The mails about one object, newest first: a business's payer mails only. */
export async function mailsAbout(ctx: Ctx, objectId: string): Promise<MailRow[]> {
  return db
    .select()
    .from(mails)
    .where(ours(ctx, eq(mails.objectId, objectId)))
    .orderBy(desc(mails.createdAt), desc(mails.id))
    .limit(100);
}

// Account mails belong to no business, and their kinds are not among these.
const ours = (ctx: Ctx, ...more: Array<SQL | undefined>) =>
  and(
    eq(mails.businessId, ctx.businessId),
    eq(mails.mode, ctx.mode),
    inArray(mails.kind, [...mailKinds]),
    ...more,
  );

const withLink = (on: Executor) =>
  on
    .select({ ...getTableColumns(mails), payable: sql<boolean>`coalesce(${payable}, false)` })
    .from(mails)
    .leftJoin(links, and(eq(links.businessId, mails.businessId), eq(links.id, mails.objectId)));

/** A mail to a payer of this business. */
export async function findMail(
  ctx: Ctx,
  id: string,
  on: Executor = db,
): Promise<MailWithLink | undefined> {
  const [row] = await withLink(on).where(ours(ctx, eq(mails.id, id)));
  return row;
}

function conditions(ctx: Ctx, query: MailQuery) {
  const { q } = query;
  const like = q && `%${q.replace(/[\\%_]/g, "\\$&")}%`;
  return ours(
    ctx,
    query.status ? eq(mails.status, query.status) : undefined,
    query.kind ? eq(mails.kind, query.kind) : undefined,
    query.payment_link_id === undefined
      ? undefined
      : and(
          eq(mails.objectId, query.payment_link_id),
          notInArray(mails.kind, [...subscriptionMailKinds, ...tokenMailKinds]),
        ),
    query.subscription_id === undefined
      ? undefined
      : and(
          eq(mails.objectId, query.subscription_id),
          inArray(mails.kind, [...subscriptionMailKinds]),
        ),
    query.tokenization_id === undefined
      ? undefined
      : and(eq(mails.objectId, query.tokenization_id), inArray(mails.kind, [...tokenMailKinds])),
    query.created_from === undefined
      ? undefined
      : sql`${mails.createdAt} >= ${query.created_from}::timestamptz`,
    query.created_to === undefined
      ? undefined
      : sql`${mails.createdAt} <= ${query.created_to}::timestamptz`,
    q && like
      ? or(
          ilike(mails.recipient, like),
          ilike(mails.subject, like),
          eq(mails.id, q.toLowerCase()),
          eq(mails.objectId, q.toLowerCase()),
        )
      : undefined,
  );
}

export async function listMails(ctx: Ctx, query: MailQuery, walk: Walk): Promise<MailWithLink[]> {
  const { where, orderBy, limit, offset } = keyset(mails, walk);
  return withLink(db)
    .where(and(conditions(ctx, query), where))
    .orderBy(...orderBy)
    .limit(limit)
    .offset(offset);
}

export async function countMails(ctx: Ctx, query: MailQuery): Promise<number> {
  return db.$count(mails, conditions(ctx, query));
}

/** How many mails about an object staff or a program had sent within the last `seconds`, and in how many seconds the oldest of them is that old. */
export async function resentWithin(
  ctx: Ctx,
  tx: Tx,
  objectId: string,
  seconds: number,
): Promise<{ count: number; seconds: number }> {
  const [row] = await tx
    .select({
      count: sql<number>`count(*)::integer`,
      seconds: sql<number>`coalesce(ceil(${seconds} - extract(epoch from now() - min(${mails.createdAt}))), 1)::integer`,
    })
    .from(mails)
    .where(
      ours(
        ctx,
        eq(mails.objectId, objectId),
        sql`(${mails.cause} like 'resend:%' or ${mails.cause} like 'send:%')`,
        sql`${mails.createdAt} > now() - make_interval(secs => ${seconds})`,
      ),
    );
  return row ?? { count: 0, seconds: 1 };
}

/** For the operator: the mails of the install that were written last, or account mails alone. An id begins with the real second of its writing; a test clock's mail is dated by that clock. */
export async function unscopedListMails(
  limit: number,
  { accountOnly }: { accountOnly: boolean },
): Promise<MailRow[]> {
  return db
    .select()
    .from(mails)
    .where(accountOnly ? isNull(mails.businessId) : undefined)
    .orderBy(desc(mails.id))
    .limit(limit);
}

/** For the operator: one mail of the install. */
export async function unscopedFindMail(id: string): Promise<MailRow | undefined> {
  const [row] = await db.select().from(mails).where(eq(mails.id, id));
  return row;
}
