import { sql } from "drizzle-orm";
import { togetherBy } from "@/db/batched";
import { db, type Executor, type Tx } from "@/db/client";
import { columnsOf, givenRows, isoSql, jsonOf } from "@/db/columns";
import { directory } from "@/db/directory";
import { businesses } from "@/db/schema/businesses";
import { events } from "@/db/schema/events";
import { payerKeys } from "@/db/schema/payers";
import { paymentLinks as links } from "@/db/schema/payment-links";
import { isRowFault } from "@/db/sql-state";
import { isoOfMicros } from "@/lib/kernel/clock";
import { traceparent } from "@/lib/kernel/trace";
import type { Ctx } from "../context";
import { keysFor, newPayerKey } from "../payers/rows";
import { type KeysByAddress, normalAddress, sealFields } from "../payers/rules";
import { nextReminder } from "./reminder-rows";
import { asWritten, type LinkRow, type NewLink, newRow } from "./rows";

/** A new link and its event; `data` is the link as the API shows it, but for its two moments and its default reminders. */
export type CreatedLink = {
  id: string;
  values: NewLink;
  event: { id: string; data: Record<string, unknown>; mail: string | null };
};

type KeyRow = typeof payerKeys.$inferSelect;
type New = {
  /** Its moment is that of the test clock or of its set; the database gives any other. */
  link: Omit<LinkRow, "createdAt" | "updatedAt" | "overdue" | "defaultInEffect"> & {
    createdAt: string | null;
    updatedAt: null;
  };
  event: Readonly<Record<string, unknown>>;
  /** A key that is made for it. */
  key?: KeyRow;
};

const created = sql`coalesce(created_at, now())`;
// The business's default at this moment, for a link that is mailed.
const defaultReminders = sql`case when send_email and business_reminders <> '[]' then business_reminders end`;
const known = sql`jsonb_build_object('created_at', ${isoSql(created)}, 'updated_at', ${isoSql(created)}, 'overdue', coalesce((data ->> 'due_at')::timestamptz <= ${created}, false),
  'default_reminders', coalesce(business_reminders, '[]'))`;

// Links, their events, the keys that seal these and the places in the directory in one statement: one round trip, and none can be without the others.
function prepareInsert(on: Executor) {
  const fresh = on.$with("fresh").as(
    on
      .insert(links)
      .select(
        sql`select ${columnsOf(links, {
          createdAt: created,
          updatedAt: created,
          defaultReminders,
          nextReminderAt: nextReminder({
            reminders: sql`coalesce(reminders, ${defaultReminders})`,
            created,
            due: sql`due_at`,
            zone: sql`zone`,
            done: sql`null::text[]`,
            after: created,
          }),
        })} from ${givenRows(links, "links")} as given left join lateral (
          select b.reminders as business_reminders, b.time_zone as zone from ${businesses} b where b.id = given.business_id
        ) as business on reminders is not null or send_email`,
      )
      .returning({
        id: links.id,
        createdAt: links.createdAt,
        updatedAt: links.updatedAt,
        defaultReminders: links.defaultReminders,
      }),
  );
  const entered = on.$with("entered").as(
    on
      .insert(directory)
      .select(
        sql`select ${columnsOf(directory, { kind: sql`'payment_link'`, key: sql`id` })} from ${givenRows(links, "links")}`,
      )
      .returning({ key: directory.key }),
  );
  const keyed = on.$with("keyed").as(
    on
      .insert(payerKeys)
      .select(sql`select ${columnsOf(payerKeys)} from ${givenRows(payerKeys, "keys")}`)
      .returning({ id: payerKeys.id }),
  );
  const event = on.$with("event").as(
    on
      .insert(events)
      .select(
        sql`select ${columnsOf(events, {
          xid: sql`pg_current_xact_id()`,
          seq: sql`nextval('events_seq_seq')`,
          data: sql`data || ${known}`,
          createdAt: created,
        })} from ${givenRows(events, "events")} as given left join lateral (
          select b.reminders as business_reminders from ${businesses} b where b.id = given.business_id
        ) as business on data -> 'default_reminders' = 'null'`,
      )
      .returning({ id: events.id }),
  );
  return on
    .with(fresh, event, entered, keyed)
    .select({
      id: fresh.id,
      createdAt: fresh.createdAt,
      updatedAt: fresh.updatedAt,
      defaultReminders: fresh.defaultReminders,
    })
    .from(fresh)
    .prepare("payment_links_insert");
}

const insert = prepareInsert(db);

async function insertAll(
  items: readonly New[],
  statement: ReturnType<typeof prepareInsert>,
): Promise<LinkRow[]> {
  const written = await statement.execute({
    links: jsonOf(
      links,
      items.map(({ link }) => link),
    ),
    events: jsonOf(
      events,
      items.map(({ event }) => event),
    ),
    keys: jsonOf(
      payerKeys,
      items.flatMap(({ key }) => key ?? []),
    ),
  });
  const byId = new Map(written.map((row) => [row.id, row]));
  return items.map(({ link }) => {
    const row = byId.get(link.id);
    if (!row) throw new Error("the payment link was not written");
    return asWritten({ ...link, ...row, defaultInEffect: row.defaultReminders ?? [] });
  });
}

/** Links of one business that are created at the same time are written together: one commit for all. */
const insertTogether = togetherBy<New, LinkRow>(
  ({ link }) => String(link.businessId),
  async (items) => {
    try {
      return await insertAll(items, insert);
    } catch (error) {
      // Nothing was written. Only the one at fault may fail.
      if (items.length === 1 || !isRowFault(error)) throw error;
      return items.map(async (item) => (await insertAll([item], insert))[0] as LinkRow);
    }
  },
);

/** A link and its event as they are written: sealed under the keys of their payers, at the moment that is given or the database's. */
const newItem = (
  ctx: Ctx,
  { id, values, event }: CreatedLink,
  keys: KeysByAddress,
  at = ctx.now,
): New => ({
  link: { ...newRow(ctx, id, values), createdAt: at ?? null, updatedAt: null },
  event: {
    businessId: ctx.businessId,
    mode: ctx.mode,
    id: event.id,
    type: "payment_link.created",
    objectId: id,
    // Null: the statement writes those that the settings have now.
    data: sealFields({ ...event.data, default_reminders: values.sendEmail ? null : [] }, keys),
    actor: ctx.actor,
    mail: event.mail,
    createdAt: at,
    traceparent: traceparent(),
  },
});

/** Writes a link and its event, sealed under a new key, in one statement; in a transaction when one is given. Returns the link as it was written. */
export async function insertLink(ctx: Ctx, created: CreatedLink, tx?: Tx): Promise<LinkRow> {
  const { email } = created.values;
  const key = newPayerKey(ctx.businessId, email);
  const item = {
    ...newItem(ctx, created, new Map([[normalAddress(email), key]])),
    key: key.row,
  };
  if (!tx) return insertTogether(item);
  const [row] = await insertAll([item], prepareInsert(tx));
  return row as LinkRow;
}

/** Writes links and their events in one statement, each link a microsecond after the one before, so that a list keeps their order. */
export async function insertLinks(
  ctx: Ctx,
  tx: Tx,
  list: readonly CreatedLink[],
  fromMicros: number,
): Promise<LinkRow[]> {
  const addresses = list.map(({ values }) => normalAddress(values.email));
  const keys = await keysFor(tx, ctx.businessId, addresses);
  const items = list.map((created, place) =>
    newItem(ctx, created, keys, isoOfMicros(fromMicros + place)),
  );
  return insertAll(items, prepareInsert(tx));
}
