import {
  and,
  asc,
  desc,
  eq,
  getTableColumns,
  inArray,
  notInArray,
  or,
  type SQL,
  sql,
} from "drizzle-orm";
import { togetherBy } from "@/db/batched";
import { db, type Executor, type Tx } from "@/db/client";
import { newRows, NO_BUSINESS } from "@/db/columns";
import { createdFilters, filtered, type Filters, is, sameText, search } from "@/db/filters";
import { keyset, type Walk } from "@/db/page";
import { owned } from "@/db/owned";
import { batchItems } from "@/db/schema/batches";
import { mails } from "@/db/schema/mails";
import { paymentLinks as links } from "@/db/schema/payment-links";
import { type MailQuery, subscriptionMailKinds, tokenMailKinds } from "@/lib/contract/mails";
import { mailKinds } from "@/lib/contract/values";
import { ClaimLost, type Due, SKIP_LOCKED } from "@/lib/jobs/claim-rows";
import type { Ctx } from "../context";
import { anyOf, payable } from "../payment-links/rows";

export type MailRow = typeof mails.$inferSelect;
/** `payable`: it is about a payment link that takes money now; `linkEmail`: of that link's payer. */
export type MailWithLink = MailRow & { payable: boolean; linkEmail: string | null };
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

/** What people read of a mail: one that is handed to the mail server just now, for the first time as far as is known, still waits. */
export const shownStatus = sql<
  MailRow["status"]
>`(case when ${mails.status} = 'unknown' and ${mails.error} is null and ${mails.nextTryAt} is not null then 'queued' else ${mails.status} end)`;
const shown = { ...getTableColumns(mails), status: shownStatus };

/** Puts a mail into the outbox; a second one of the same id is left out. */
export const insertMail = (on: Executor, mail: NewMail): Promise<void> => insertMails(on, [mail]);

/** The same for several mails. */
export async function insertMails(on: Executor, list: readonly NewMail[]): Promise<void> {
  await on
    .insert(mails)
    .select(newRows(mails, list, { nextTryAt: sql`now()` }))
    .onConflictDoNothing();
}

/** Mails that wait to be sent; account mails belong to no business. */
export const dueMails: Due<typeof mails> = {
  table: mails,
  fairBy: [mails.businessId],
  moment: mails.nextTryAt,
  where: sql`${mails.nextTryAt} is not null`,
};

type Claimed = Pick<MailRow, "businessId" | "id" | "fence">;
/** Still has the claim that it was sent under. */
const held = ({ businessId, id, fence }: Claimed) =>
  and(eq(mails.businessId, businessId), eq(mails.id, id), eq(mails.fence, fence));

type Closed = {
  mail: Claimed & Pick<MailRow, "tries">;
  status: MailRow["status"];
  error: string | null;
  seconds: number | null;
};
const WAIT = sql.raw("");

/** Closes mails of one business that are still held, in the order of their keys. Returns the ids of those that it closed. */
async function close(list: readonly Closed[], locked = WAIT): Promise<Set<string>> {
  const closed = list.map(({ mail: { id, fence, tries }, status, error, seconds }) => ({
    id,
    fence,
    tries: tries + 1,
    status,
    error,
    seconds,
  }));
  const ofBusiness = sql`${mails.businessId} = ${list[0]?.mail.businessId}`;
  const { rows } = await db.execute<{ id: string }>(sql`
    with held as materialized (
      select c.* from ${mails},
        jsonb_to_recordset(${JSON.stringify(closed)}::jsonb) as c(id text, fence bigint, tries int, status text, error text, seconds float8)
      where ${ofBusiness} and ${mails.id} = c.id and ${mails.fence} = c.fence
      order by ${mails.id} for no key update of mails ${locked})
    update ${mails} set status = held.status, error = held.error, tries = held.tries, leased_until = null,
      next_try_at = (select now() + make_interval(secs => held.seconds)), sent_at = case when held.status = 'sent' then (select now()) else ${mails.sentAt} end
    from held where ${ofBusiness} and ${mails.id} = held.id returning ${mails.id}`);
  return new Set(rows.map(({ id }) => id));
}

/** Rows that are locked are left out of the statement and closed by another one: they must not fail the others. */
const closeTogether = togetherBy<Closed, void>(
  ({ mail }) => String(mail.businessId),
  async (list) => {
    const closed = await close(list, SKIP_LOCKED);
    const left = list.filter(({ mail }) => !closed.has(mail.id));
    const rest = left.length === 0 ? undefined : close(left).then(() => undefined);
    return list.map(({ mail }) => (closed.has(mail.id) ? undefined : rest));
  },
);

/** Writes what became of a try; `seconds` until the next one, null when it is over. A second time it changes nothing more. */
export const unscopedCloseMail = (
  mail: Closed["mail"],
  status: MailRow["status"],
  error: string | null,
  seconds: number | null,
): Promise<void> => closeTogether({ mail, status, error, seconds });

const NO_ANSWER = "The worker was stopped before the mail server's answer was written.";
/** Why an earlier try may have delivered a mail; null where none may have. */
const doubtOf = ({ status, error }: Pick<MailRow, "status" | "error">) =>
  status === "unknown" ? (error ?? NO_ANSWER) : null;

/**
 * Notes that a mail may arrive, right before it is handed to the server: a worker that is killed then leaves nothing else that says so. Throws
 * ClaimLost: what another worker has taken, or an erasure has emptied, must not be sent.
 */
export async function unscopedBeginTry(
  mail: Claimed & Pick<MailRow, "status" | "error">,
): Promise<void> {
  const { rowCount } = await db
    .update(mails)
    .set({ status: "unknown", error: doubtOf(mail) })
    .where(held(mail));
  if (rowCount !== 1) throw new ClaimLost("this mail was claimed or erased meanwhile");
}

/** Writes what a mail says now. */
export async function unscopedRewriteMail(
  mail: Claimed,
  { subject, html, text }: Pick<MailRow, "subject" | "html" | "text">,
): Promise<void> {
  await db.update(mails).set({ subject, html, text }).where(held(mail));
}

/** Puts a mail off that waits for its recipient's limit, a payment under way or a gateway; no try is counted. */
export async function unscopedPostponeMail(
  mail: Claimed & Pick<MailRow, "status" | "error">,
  seconds: number,
): Promise<void> {
  await db
    .update(mails)
    .set({
      status: mail.status === "unknown" ? "unknown" : "waiting",
      error: doubtOf(mail) ?? mail.error,
      leasedUntil: null,
      nextTryAt: sql`now() + make_interval(secs => ${seconds})`,
    })
    .where(held(mail));
}

/** The newest mails about one object or several: a business's payer mails only. */
export async function mailsAbout(
  ctx: Ctx,
  objectIds: string | readonly string[],
): Promise<MailRow[]> {
  return db
    .select(shown)
    .from(mails)
    .where(ours(ctx, inArray(mails.objectId, [objectIds].flat())))
    .orderBy(desc(mails.createdAt), desc(mails.id))
    .limit(100);
}

/** What became of the mails of invitations, by the id of the invitation. */
export async function unscopedMailsOfInvitations(
  on: Executor,
  ids: readonly string[],
): Promise<Map<string | null, Pick<MailRow, "status" | "error">>> {
  if (ids.length === 0) return new Map();
  const rows = await on
    .select({ about: mails.objectId, status: shownStatus, error: mails.error })
    .from(mails)
    .where(
      and(
        eq(mails.businessId, NO_BUSINESS),
        eq(mails.kind, "account_invitation"),
        inArray(mails.objectId, [...ids]),
      ),
    );
  return new Map(rows.map(({ about, ...mail }) => [about, mail]));
}

// Account mails belong to no business, and their kinds are not among these.
const ours = (ctx: Ctx, ...more: Array<SQL | undefined>) =>
  and(
    eq(mails.businessId, ctx.businessId),
    eq(mails.mode, ctx.mode),
    inArray(mails.kind, [...mailKinds]),
    ...more,
  );

/** How many of the links that a batch has changed their payers had in a mail, or may have had, and the ids of the first of them. */
export async function mailedOfBatch(
  ctx: Ctx,
  batchId: string,
  limit: number,
): Promise<{ count: number; first: string[] }> {
  const mailed = sql`select from ${mails} where ${ours(ctx, eq(mails.objectId, batchItems.paymentLinkId), inArray(mails.kind, ["payment_link", "payment_reminder"]), inArray(mails.status, ["sent", "unknown"]))}`;
  const where = owned(
    ctx,
    batchItems,
    eq(batchItems.batchId, batchId),
    eq(batchItems.outcome, "changed"),
    sql`exists (${mailed})`,
  );
  const [count, rows] = await Promise.all([
    db.$count(batchItems, where),
    db
      .select({ id: batchItems.paymentLinkId })
      .from(batchItems)
      .where(where)
      .orderBy(asc(batchItems.position))
      .limit(limit),
  ]);
  return { count, first: rows.map(({ id }) => id) };
}

const withLink = (on: Executor) =>
  on
    .select({
      ...shown,
      payable: sql<boolean>`coalesce(${payable}, false)`,
      linkEmail: links.email,
    })
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

const filters: Filters<MailQuery> = {
  status: (value) =>
    value === "queued" || value === "unknown" ? eq(shownStatus, value) : eq(mails.status, value),
  kind: is(mails.kind),
  email: sameText(mails.recipient),
  payment_link_id: (id) =>
    and(
      eq(mails.objectId, id),
      notInArray(mails.kind, [...subscriptionMailKinds, ...tokenMailKinds]),
    ),
  subscription_id: (id) =>
    and(eq(mails.objectId, id), inArray(mails.kind, [...subscriptionMailKinds])),
  tokenization_id: (id) => and(eq(mails.objectId, id), inArray(mails.kind, [...tokenMailKinds])),
  ...createdFilters(mails.createdAt),
  q: search({ texts: [mails.recipient, mails.subject], ids: [mails.id, mails.objectId] }),
};

const conditions = (ctx: Ctx, query: MailQuery) => ours(ctx, ...filtered(filters, query));

export async function listMails(ctx: Ctx, query: MailQuery, walk: Walk): Promise<MailWithLink[]> {
  const { where, orderBy, limit, offset } = keyset(mails, walk);
  return withLink(db)
    .where(and(conditions(ctx, query), where))
    .orderBy(...orderBy)
    .limit(limit)
    .offset(offset);
}

/** How many mails were tried for the last time. */
export const countFailedMails = ({ businessId, mode }: Ctx): Promise<number> =>
  db.$count(
    mails,
    and(eq(mails.businessId, businessId), eq(mails.mode, mode), eq(mails.status, "failed")),
  );

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
    .where(resent(ctx, [objectId], seconds));
  return row ?? { count: 0, seconds: 1 };
}

/** Mails about the links of the statement that wait for their present payers, went to them, or may have gone. */
const reaching = (ctx: Ctx, kinds: readonly MailRow["kind"][]) =>
  ours(
    ctx,
    eq(mails.objectId, links.id),
    inArray(mails.kind, [...kinds]),
    notInArray(mails.status, ["failed", "kept"]),
    sql`lower(${mails.recipient}) = lower(${links.email})`,
  );

/** Those of the links that no mail asks the present payer to pay. */
export async function unmailedLinks(
  ctx: Ctx,
  on: Executor,
  ids: readonly string[],
): Promise<string[]> {
  const mailed = sql`select 1 from ${mails} where ${reaching(ctx, ["payment_link", "payment_reminder"])}`;
  const rows = await on
    .select({ id: links.id })
    .from(links)
    .where(owned(ctx, links, anyOf(ids), sql`not exists (${mailed})`));
  return rows.map(({ id }) => id);
}

/** The links that had so many such mails, or a reminder that is on its way to their payers or went in that time. */
export async function mailedLately(
  ctx: Ctx,
  on: Executor,
  linkIds: readonly string[],
  seconds: number,
  times: number,
): Promise<Set<string>> {
  const isResent = resent(ctx, linkIds, seconds);
  // A test clock's mail is dated by that clock: in real time it has only the moment it went.
  const went = sql`coalesce(${mails.sentAt}, ${mails.createdAt})`;
  const isReminder = and(
    reaching(ctx, ["payment_reminder"]),
    sql`(${mails.nextTryAt} is not null
      or ${went} between now() - make_interval(secs => ${seconds}) and now())`,
  );
  const rows = await on
    .select({ id: links.id })
    .from(mails)
    .innerJoin(links, owned(ctx, links, eq(links.id, mails.objectId)))
    .where(and(aboutAny(ctx, linkIds), or(isResent, isReminder)))
    .groupBy(links.id)
    .having(sql`count(*) filter (where ${isResent}) >= ${times} or bool_or(${isReminder})`);
  return new Set(rows.map(({ id }) => id));
}

const aboutAny = (ctx: Ctx, objectIds: readonly string[]) =>
  ours(ctx, sql`${mails.objectId} = any(${sql.param([...objectIds])}::text[])`);

const resent = (ctx: Ctx, objectIds: readonly string[], seconds: number) =>
  and(
    aboutAny(ctx, objectIds),
    sql`(${mails.cause} like 'resend:%' or ${mails.cause} like 'send:%')`,
    sql`${mails.createdAt} > now() - make_interval(secs => ${seconds})`,
  );

/** For the operator: the mails of the install that were written last, or account mails alone. An id begins with the real second of its writing; a test clock's mail is dated by that clock. */
export async function unscopedListMails(
  limit: number,
  { accountOnly }: { accountOnly: boolean },
): Promise<MailRow[]> {
  return db
    .select(shown)
    .from(mails)
    .where(accountOnly ? eq(mails.businessId, NO_BUSINESS) : undefined)
    .orderBy(desc(mails.id))
    .limit(limit);
}

/** For the operator: one mail of the install. */
export async function unscopedFindMail(id: string): Promise<MailRow | undefined> {
  const [row] = await db.select(shown).from(mails).where(eq(mails.id, id));
  return row;
}
