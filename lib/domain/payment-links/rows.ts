import { and, eq, getTableColumns, ilike, inArray, isNull, lte, or, sql } from "drizzle-orm";
import { batched } from "@/db/batched";
import { db, type Executor, type Tx } from "@/db/client";
import { isoSql, nowOf } from "@/db/columns";
import { owned } from "@/db/owned";
import { keyset, type Walk } from "@/db/page";
import { businesses } from "@/db/schema/businesses";
import { events } from "@/db/schema/events";
import { paymentLinks as links } from "@/db/schema/payment-links";
import type { PaymentLinkQuery } from "@/lib/contract/payment-links";
import type { Ctx } from "../context";

export type LinkRow = typeof links.$inferSelect;
export type LinkValues = Pick<
  LinkRow,
  | "email"
  | "currency"
  | "amount"
  | "title"
  | "phoneNo"
  | "description"
  | "redirectUrl"
  | "reference"
  | "reference2"
  | "sendEmail"
  | "expiresAt"
>;
/** The event of a new link: its object but for the two moments that the database gives. */
export type CreatedEvent = { id: string; data: Record<string, unknown>; mail: string | null };

const live = isNull(links.deletedAt);
const value = sql.placeholder;

// Of the test clock when the call runs under one.
const moment = sql`coalesce(${value("now")}::timestamptz, now())`;

// A link and its event in one statement: one round trip, and neither can be without the other.
function prepareInsert(on: Executor) {
  const fresh = on.$with("fresh").as(
    on
      .insert(links)
      .values({
        businessId: value("businessId"),
        mode: value("mode"),
        id: value("id"),
        email: value("email"),
        currency: value("currency"),
        amount: value("amount"),
        title: value("title"),
        phoneNo: value("phoneNo"),
        description: value("description"),
        redirectUrl: value("redirectUrl"),
        reference: value("reference"),
        reference2: value("reference2"),
        sendEmail: value("sendEmail"),
        expiresAt: value("expiresAt"),
        subscriptionId: value("subscriptionId"),
        periodStart: value("periodStart"),
        periodEnd: value("periodEnd"),
        testClockId: value("testClockId"),
        createdAt: moment,
        updatedAt: moment,
      })
      .returning(),
  );
  const column = (name: string) => sql`${sql.identifier("fresh")}.${sql.identifier(name)}`;
  const moments = sql`jsonb_build_object('created_at', ${isoSql(column("created_at"))}, 'updated_at', ${isoSql(column("updated_at"))})`;
  const event = on.$with("event").as(
    on
      .insert(events)
      .select(
        sql`select ${column("business_id")}, ${column("mode")}, ${value("eventId")}::text, pg_current_xact_id(), nextval('events_seq_seq'), 'payment_link.created',
          ${column("id")}, ${value("eventData")}::jsonb || ${moments}, ${value("actor")}::jsonb, ${value("mail")}::text, ${moment}, null::jsonb from ${sql.identifier("fresh")}`,
      )
      .returning({ id: events.id }),
  );
  return on.with(fresh, event).select().from(fresh).prepare("payment_link_insert");
}

const insert = prepareInsert(db);

/** Writes a link and its event in one statement; in a transaction when one is given. */
export async function insertLink(
  ctx: Ctx,
  id: string,
  values: LinkValues &
    Partial<Pick<LinkRow, "subscriptionId" | "periodStart" | "periodEnd" | "testClockId">>,
  event: CreatedEvent,
  tx?: Tx,
): Promise<LinkRow> {
  const [row] = await (tx ? prepareInsert(tx) : insert).execute({
    subscriptionId: null,
    periodStart: null,
    periodEnd: null,
    testClockId: null,
    ...values,
    now: ctx.now ?? null,
    businessId: ctx.businessId,
    mode: ctx.mode,
    id,
    eventId: event.id,
    eventData: JSON.stringify(event.data),
    actor: JSON.stringify(ctx.actor),
    mail: event.mail,
  });
  return row as LinkRow;
}

const find = db
  .select()
  .from(links)
  .where(
    and(
      sql`(${links.businessId}, ${links.mode}, ${links.id}) in (select * from unnest(${value("businessIds")}::integer[], ${value("modes")}::text[], ${value("ids")}::text[]))`,
      live,
    ),
  )
  .prepare("payment_link_find");

const placeOf = (businessId: number, mode: string, id: string) => `${businessId} ${mode} ${id}`;

const findTogether = batched<LinkRow>(async (places) => {
  const parts = places.map((place) => place.split(" "));
  const rows = await find.execute({
    businessIds: parts.map(([businessId]) => Number(businessId)),
    modes: parts.map(([, mode]) => mode),
    ids: parts.map(([, , id]) => id),
  });
  return new Map(rows.map((row) => [placeOf(row.businessId, row.mode, row.id), row]));
});

/** The link of that id, read from the database every time. */
export async function findLink(ctx: Ctx, id: string): Promise<LinkRow | undefined> {
  return findTogether(placeOf(ctx.businessId, ctx.mode, id));
}

/** The link under its row lock, deleted ones too when asked. */
export async function lockLink(
  ctx: Ctx,
  tx: Tx,
  id: string,
  deletedToo = false,
): Promise<LinkRow | undefined> {
  const [row] = await tx
    .select()
    .from(links)
    .where(owned(ctx, links, eq(links.id, id), deletedToo ? undefined : live))
    .for("update");
  return row;
}

/** Changes a locked link; every change a payer could see takes the next version. */
export async function changeLink(
  ctx: Ctx,
  tx: Tx,
  id: string,
  change: Partial<LinkRow>,
  newVersion = true,
): Promise<LinkRow> {
  const [row] = await tx
    .update(links)
    .set({
      ...change,
      ...(newVersion ? { version: sql`${links.version} + 1` as never } : {}),
      updatedAt: nowOf(ctx),
    })
    .where(owned(ctx, links, eq(links.id, id)))
    .returning();
  if (!row) throw new Error("a locked payment link is gone");
  return row;
}

/** Two files of one business that are read at the same time could each make what is in both: the second waits here for the first. */
export async function lockBulk(ctx: Ctx, tx: Tx): Promise<void> {
  await tx.execute(
    sql`select pg_advisory_xact_lock(hashtextextended(${`payment-links bulk ${ctx.businessId} ${ctx.mode}`}, 0))`,
  );
}

/** The links that have one of these references, the newest of each reference last. */
export async function linksByReference(
  ctx: Ctx,
  references: readonly string[],
  on: Executor = db,
): Promise<LinkRow[]> {
  if (references.length === 0) return [];
  return on
    .select()
    .from(links)
    .where(
      owned(ctx, links, sql`${links.reference} = any(${sql.param([...references])}::text[])`, live),
    )
    .orderBy(links.createdAt, links.id);
}

/** Writes many links in one statement, each a moment later than the one before, so that a list keeps their order. */
export async function insertLinks(
  ctx: Ctx,
  tx: Tx,
  rows: ReadonlyArray<LinkValues & { id: string }>,
): Promise<LinkRow[]> {
  const moment = sql`clock_timestamp()` as never;
  return tx
    .insert(links)
    .values(
      rows.map((row) => ({
        ...row,
        businessId: ctx.businessId,
        mode: ctx.mode,
        createdAt: moment,
        updatedAt: moment,
      })),
    )
    .returning();
}

/** Takes a link out of every read; its payments and events stay. */
export async function markDeleted(ctx: Ctx, tx: Tx, id: string): Promise<void> {
  await tx
    .update(links)
    .set({ deletedAt: sql`now()`, version: sql`${links.version} + 1` })
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

const escaped = (text: string) => text.replace(/[\\%_]/g, "\\$&");

function conditions(ctx: Ctx, query: PaymentLinkQuery) {
  const { q } = query;
  return owned(
    ctx,
    links,
    live,
    query.status ? eq(links.status, query.status) : undefined,
    query.paid === undefined
      ? undefined
      : query.paid
        ? eq(links.status, "Paid")
        : sql`${links.status} <> 'Paid'`,
    query.email === undefined ? undefined : sql`lower(${links.email}) = lower(${query.email})`,
    query.reference === undefined ? undefined : eq(links.reference, query.reference),
    query.reference_2 === undefined ? undefined : eq(links.reference2, query.reference_2),
    query.currency === undefined ? undefined : eq(links.currency, query.currency),
    query.amount_min === undefined ? undefined : sql`${links.amount} >= ${query.amount_min}`,
    query.amount_max === undefined ? undefined : sql`${links.amount} <= ${query.amount_max}`,
    query.created_from === undefined
      ? undefined
      : sql`${links.createdAt} >= ${query.created_from}::timestamptz`,
    query.created_to === undefined
      ? undefined
      : sql`${links.createdAt} <= ${query.created_to}::timestamptz`,
    query.subscription_id === undefined
      ? undefined
      : eq(links.subscriptionId, query.subscription_id),
    q === undefined || q === ""
      ? undefined
      : or(
          ilike(links.title, `%${escaped(q)}%`),
          ilike(links.email, `%${escaped(q)}%`),
          ilike(links.reference, `%${escaped(q)}%`),
          ilike(links.reference2, `%${escaped(q)}%`),
          eq(links.id, q.toLowerCase()),
        ),
  );
}

const walking = new Set(["page", "per_page", "cursor", "sort"]);
const isUnfiltered = (query: PaymentLinkQuery) =>
  Object.entries(query).every(([name, value]) => value === undefined || walking.has(name));

function prepareWalk(name: string, { sort, back, position }: Walk) {
  const { where, orderBy, limit, offset } = keyset(links, {
    sort,
    back,
    limit: value("limit"),
    offset: value("offset"),
    ...(position ? { position: { value: value("positionValue"), id: value("positionId") } } : {}),
  });
  const owner = and(eq(links.businessId, value("businessId")), eq(links.mode, value("mode")), live);
  return db
    .select()
    .from(links)
    .where(and(owner, where))
    .orderBy(...orderBy)
    .limit(limit)
    .offset(offset)
    .prepare(name);
}

const walks = new Map<string, ReturnType<typeof prepareWalk>>();

/** The list without a filter is asked for most: its statement is built once for each way of walking. */
async function walkLinks(ctx: Ctx, walk: Walk): Promise<LinkRow[]> {
  const name = `payment_links_${walk.sort}_${walk.back ? "back" : "on"}_${walk.position ? "from" : "first"}`;
  let statement = walks.get(name);
  if (!statement) walks.set(name, (statement = prepareWalk(name, walk)));
  return statement.execute({
    businessId: ctx.businessId,
    mode: ctx.mode,
    limit: walk.limit,
    offset: walk.offset,
    positionValue: walk.position?.value,
    positionId: walk.position?.id,
  });
}

export async function listLinks(ctx: Ctx, query: PaymentLinkQuery, walk: Walk): Promise<LinkRow[]> {
  if (isUnfiltered(query)) return walkLinks(ctx, walk);
  const { where, orderBy, limit, offset } = keyset(links, walk);
  return db
    .select()
    .from(links)
    .where(and(conditions(ctx, query), where))
    .orderBy(...orderBy)
    .limit(limit)
    .offset(offset);
}

export async function countLinks(ctx: Ctx, query: PaymentLinkQuery): Promise<number> {
  return db.$count(links, conditions(ctx, query));
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
    .select({ ...getTableColumns(links), place: place.as("place") })
    .from(links)
    .where(owned(ctx, links, inArray(links.subscriptionId, [...subscriptionIds]), live))
    .as("ranked");
  return on.select().from(ranked).where(lte(ranked.place, limit)).orderBy(ranked.place);
}

/** The period links of a subscription that still wait for a payer, under their row locks. */
export async function lockOpenPeriodLinks(
  ctx: Ctx,
  tx: Tx,
  subscriptionId: string,
): Promise<LinkRow[]> {
  return tx
    .select()
    .from(links)
    .where(
      owned(ctx, links, eq(links.subscriptionId, subscriptionId), eq(links.status, "Active"), live),
    )
    .orderBy(links.id)
    .for("update");
}

const findUnscoped = db
  .select()
  .from(links)
  .where(eq(links.id, value("id")))
  .prepare("payment_link_find_unscoped");

/** For the payer door: whoever knows the id may see the page, deleted or not. */
export async function unscopedFindLink(id: string): Promise<LinkRow | undefined> {
  const [row] = await findUnscoped.execute({ id });
  return row;
}

const findForPayer = db
  .select({
    link: links,
    business: {
      name: businesses.name,
      accent: businesses.accent,
      logo: businesses.logo,
      supportEmail: businesses.supportEmail,
      supportPhone: businesses.supportPhone,
      timeZone: businesses.timeZone,
      updatedAt: businesses.updatedAt,
    },
    over: sql<boolean>`coalesce(${links.expiresAt} <= now(), false)`,
  })
  .from(links)
  .innerJoin(businesses, eq(businesses.id, links.businessId))
  .where(sql`${links.id} = any(${value("ids")}::text[])`)
  .prepare("payment_link_for_payer");

export type PayerLink = Awaited<ReturnType<typeof findForPayer.execute>>[number];

/** For the payer's page: the link and whose it is. `over`: its expiry has passed. Read from the database every time. */
export const unscopedPayerLink: (id: string) => Promise<PayerLink | undefined> = batched(
  async (ids) => {
    const rows = await findForPayer.execute({ ids });
    return new Map(rows.map((row) => [row.link.id, row]));
  },
);

/** For the batch writer: when payers first opened their links. */
export async function unscopedMarkOpened(ids: readonly string[]): Promise<void> {
  await db
    .update(links)
    .set({ firstOpenedAt: sql`now()` })
    .where(and(inArray(links.id, [...ids]), isNull(links.firstOpenedAt)));
}

/** Active links whose time is over, oldest first. */
export async function unscopedExpiredLinks(
  limit: number,
): Promise<Array<Pick<LinkRow, "businessId" | "mode" | "id">>> {
  return db
    .select({ businessId: links.businessId, mode: links.mode, id: links.id })
    .from(links)
    .where(
      and(
        eq(links.status, "Active"),
        sql`${links.expiresAt} is not null and ${links.expiresAt} <= now()`,
        live,
      ),
    )
    .orderBy(links.expiresAt)
    .limit(limit);
}
