import {
  and,
  desc,
  eq,
  getTableColumns,
  inArray,
  isNotNull,
  isNull,
  or,
  type SQL,
  sql,
} from "drizzle-orm";
import { db, type Executor, type Tx } from "@/db/client";
import { type CommonColumn, newRows } from "@/db/columns";
import { createdFilters, filtered, type Filters, sameText, search } from "@/db/filters";
import { owned } from "@/db/owned";
import { fieldsOf, keyset, type ReadPart, readPage, sortedApart, type Walk } from "@/db/page";
import { endsInDigits } from "@/db/phones";
import { customers } from "@/db/schema/customers";
import { indexedText, isIndexed, walkText } from "@/db/text-search";
import type { CustomerQuery } from "@/lib/contract/customers";
import { newId } from "@/lib/kernel/ids";
import type { Ctx } from "../context";
import { normalAddress } from "../payers/rules";
import type { Versioned } from "../versions/edits";

export type CustomerRow = typeof customers.$inferSelect;

/** Every column that a caller gives: one that is added to the table must be given here to compile. */
export type CustomerValues = Omit<CustomerRow, CommonColumn | keyof Versioned>;

/** Writes a customer; undefined where the address has one. */
export async function insertCustomer(
  ctx: Ctx,
  on: Executor,
  id: string,
  values: CustomerValues,
): Promise<CustomerRow | undefined> {
  const [row] = await on
    .insert(customers)
    .values({ ...values, businessId: ctx.businessId, mode: ctx.mode, id })
    .onConflictDoNothing()
    .returning();
  return row;
}

type Kept = { email: string; phoneNo: string | null; name: string | null };

/**
 * Makes the customers of many new records before these are written in several statements. All addresses come in one order, as in the
 * triggers, so that two transactions never wait for each other's. Returns those that were there and have a name since.
 */
export async function keepCustomers(
  ctx: Ctx,
  tx: Tx,
  list: readonly Kept[],
): Promise<{ before: CustomerRow; after: CustomerRow }[]> {
  const rows = list.map(({ email, phoneNo, name }) => ({
    businessId: ctx.businessId,
    mode: ctx.mode,
    id: newId(),
    email,
    phoneNo,
    name,
  }));
  await tx.execute(sql`
    insert into ${customers} select distinct on (lower(email)) * from (${newRows(customers, rows)}) fresh
    order by lower(email), phone_no is null on conflict (business_id, mode, lower(email)) do nothing`);
  return fillNames(ctx, tx, list);
}

/**
 * Gives names to customers without one, as an edit. Their numbers come along: after an edit, the trigger fills in none. Locks in the order of the
 * insert. An erasure takes the same order: customers, then keys.
 */
async function fillNames(
  ctx: Ctx,
  tx: Tx,
  list: readonly Kept[],
): Promise<{ before: CustomerRow; after: CustomerRow }[]> {
  const given = new Map<string, { name: string; phone: string | null }>();
  for (const { email, phoneNo, name } of list) {
    const address = normalAddress(email);
    if (name !== null) given.set(address, { name, phone: given.get(address)?.phone ?? phoneNo });
  }
  if (given.size === 0) return [];
  const nameless = await tx
    .select()
    .from(customers)
    .where(owned(ctx, customers, isNull(customers.name), addressIn([...given.keys()])))
    .orderBy(sql`lower(${customers.email})`)
    .for("no key update");
  const filled = nameless.map(({ id, email }) => ({ id, ...given.get(normalAddress(email)) }));
  if (filled.length === 0) return [];
  await tx.execute(sql`
    update ${customers} set name = filled.name, phone_no = coalesce(${customers.phoneNo}, case when ${customers.version} = 1 then filled.phone end),
      version = ${customers.version} + 1, changed_by = ${JSON.stringify(ctx.actor)}::jsonb, changed_at = now(), updated_at = now()
    from jsonb_to_recordset(${JSON.stringify(filled)}::jsonb) as filled(id text, name text, phone text)
    where ${customers.id} = filled.id and ${owned(ctx, customers)}`);
  const ids = nameless.map(({ id }) => id);
  const named = await tx
    .select()
    .from(customers)
    .where(owned(ctx, customers, inArray(customers.id, ids)));
  const byId = new Map(named.map((row) => [row.id, row]));
  return nameless.flatMap((before) => {
    const after = byId.get(before.id);
    return after ? [{ before, after }] : [];
  });
}

const addressIn = (addresses: readonly string[]): SQL =>
  sql`lower(${customers.email}) = any(${sql.param(addresses)}::text[])`;

/** The names that customers of these addresses have, by address. */
export async function namesOf(
  ctx: Ctx,
  on: Executor,
  emails: readonly string[],
): Promise<Map<string, string>> {
  if (emails.length === 0) return new Map();
  const rows = await on
    .select({ email: customers.email, name: customers.name })
    .from(customers)
    .where(owned(ctx, customers, isNotNull(customers.name), addressIn(emails.map(normalAddress))));
  return new Map(rows.map(({ email, name }) => [normalAddress(email), name ?? ""]));
}

export async function findCustomer(
  ctx: Ctx,
  id: string,
  on: Executor = db,
): Promise<CustomerRow | undefined> {
  const [row] = await on
    .select()
    .from(customers)
    .where(owned(ctx, customers, eq(customers.id, id)));
  return row;
}

/** The customer of an address, in any case. */
export async function customerOf(
  ctx: Ctx,
  on: Executor,
  email: string,
): Promise<CustomerRow | undefined> {
  const [row] = await on
    .select()
    .from(customers)
    .where(owned(ctx, customers, sameText(customers.email)(email)));
  return row;
}

/** The customer under its row lock. */
export async function lockCustomer(ctx: Ctx, tx: Tx, id: string): Promise<CustomerRow | undefined> {
  const [row] = await tx
    .select()
    .from(customers)
    .where(owned(ctx, customers, eq(customers.id, id)))
    .for("no key update");
  return row;
}

/** Changes a locked customer. */
export async function changeCustomer(
  ctx: Ctx,
  tx: Tx,
  id: string,
  change: Partial<CustomerRow>,
): Promise<CustomerRow> {
  const [row] = await tx
    .update(customers)
    .set({ ...change, updatedAt: sql`now()` as never })
    .where(owned(ctx, customers, eq(customers.id, id)))
    .returning();
  if (!row) throw new Error("a locked customer is gone");
  return row;
}

const searched = {
  texts: [customers.email, customers.name, customers.phoneNo],
  ids: [customers.id],
};
/** A query of customers; `addresses` are those of payments or payment links. */
export type CustomersAsked = Omit<CustomerQuery, "payment_ids" | "payment_link_ids"> & {
  addresses?: readonly string[];
};
const filters: Filters<CustomersAsked> = {
  email: sameText(customers.email),
  addresses: (list) => addressIn(list.map(normalAddress)),
  ...createdFilters(customers.createdAt),
  q: search(searched),
};

const columns = getTableColumns(customers);
const fields = fieldsOf(columns);
const read: ReadPart<CustomerRow, typeof customers> = (from, { where, orderBy, limit, offset }) =>
  db
    .select(fields)
    .from(from as typeof customers)
    .where(where)
    .orderBy(...orderBy)
    .limit(limit)
    .offset(offset);

export async function listCustomers(
  ctx: Ctx,
  query: CustomersAsked,
  walk: Walk,
): Promise<CustomerRow[]> {
  if (isIndexed(query.q))
    return walkText({
      ...searched,
      table: customers,
      text: query.q,
      scope: owned(ctx, customers),
      matches: and(...filtered(filters, query)),
      walk,
      read,
    });
  const where = owned(ctx, customers, ...filtered(filters, query));
  if (query.addresses === undefined) return readPage(customers, where, walk, read);
  const { where: position, ...way } = keyset(customers, walk);
  return read(sortedApart(customers, where), { where: position, ...way });
}

/** The newest customers with a phone number that ends in these digits. `endings` are ways to write the last of them, for the search index. */
export async function customersOfPhone(
  ctx: Ctx,
  { digits, endings }: { digits: string; endings: readonly string[] },
  limit: number,
): Promise<CustomerRow[]> {
  const written = endings.map((ending) => indexedText({ ...searched, ids: [] }, ending));
  const found = owned(ctx, customers, or(...written), endsInDigits(customers.phoneNo, digits));
  return read(sortedApart(customers, found), {
    where: undefined,
    orderBy: [desc(customers.createdAt), desc(customers.id)],
    limit,
    offset: 0,
  });
}

export async function countCustomers(ctx: Ctx, query: CustomersAsked): Promise<number> {
  const indexed = isIndexed(query.q) ? indexedText(searched, query.q) : undefined;
  return db.$count(customers, owned(ctx, customers, ...filtered(filters, query), indexed));
}
