import { heavyRead } from "@/db/heavy-reads";
import type { Found } from "@/lib/contract/search";
import { recordsReadForPhone } from "@/lib/contract/values";
import type { Ctx } from "../context";
import { type CustomerRow, customersOfPhone, listCustomers } from "../customers/rows";
import { listPackages } from "../packages/rows";
import { linkCurrencies, listLinks, payersOfPhone } from "../payment-links/list-rows";
import { listPayments, paymentCurrencies, paymentsByNet } from "../payments/list-rows";
import { withPayers } from "../payments/payer-rows";
import { listSubscriptions, subscribersOfPhone } from "../subscriptions/rows";
import { holdersOfPhone, listTokenizations } from "../tokenizations/rows";
import { currencyDigits } from "@/lib/kernel/currencies";
import { displayAmount } from "@/lib/kernel/money";
import { amountsIn } from "./amounts";
import { type Phone, phoneIn } from "./phones";

const newest = { sort: "-created_at", limit: 5, offset: 0, back: false } as const;

/**
 * Up to five records of each kind that a text finds: by title, name, phone number, e-mail address, reference, id or amount. Those with the
 * whole text, or exactly the amount or number, come before the newest that only hold it. A payment is also found by its amount after fees.
 */
export function find(ctx: Ctx, q: string): Promise<Found[]> {
  return heavyRead(ctx, "search", () => findEach(ctx, q));
}

async function findEach(ctx: Ctx, q: string): Promise<Found[]> {
  const ofLinks = (query: ListQuery<typeof listLinks>) => listLinks(ctx, query, newest);
  const linksOfAmounts = await each(
    await amountsOf(q, () => linkCurrencies(ctx)),
    ({ minor, currency }) => ofLinks({ currency, ...exactly(minor) }),
  );
  const links = await meantFirst(ofLinks, q, ["reference", "reference_2", "email"], linksOfAmounts);
  const ofPayments = (query: ListQuery<typeof listPayments>) => listPayments(ctx, query, newest);
  const amounts = await amountsOf(q, () => paymentCurrencies(ctx));
  const gross = await each(amounts, ({ minor, currency }) =>
    ofPayments({ currency, ...exactly(minor) }),
  );
  // A bank statement shows what is left after fees.
  const net = await each(amounts, ({ minor, currency }) =>
    paymentsByNet(ctx, { net: minor, currency }, newest.limit),
  );
  const grossIds = idsOf(gross.flat());
  const netIds = idsOf(net.flat().filter(({ id }) => !grossIds.has(id)));
  const payments = await meantFirst(ofPayments, q, ["reference", "email"], [...gross, ...net]);
  const paymentRows = await withPayers(ctx, payments.rows);
  const ofTokens = (query: ListQuery<typeof listTokenizations>) =>
    listTokenizations(ctx, query, newest);
  const tokens = await meantFirst(ofTokens, q, ["email"]);
  const ofSubscriptions = (query: ListQuery<typeof listSubscriptions>) =>
    listSubscriptions(ctx, query, newest);
  const subscriptions = await meantFirst(ofSubscriptions, q, ["email"]);
  const packages = await listPackages(ctx, { q }, newest);
  const ofCustomers = (query: ListQuery<typeof listCustomers>) => listCustomers(ctx, query, newest);
  const phone = phoneIn(q);
  const ofNumber = phone ? await ofPhone(ctx, phone) : [];
  const customers = await meantFirst(ofCustomers, q, ["email"], ofNumber);
  return [
    ...links.rows.map(
      (row): Found => ({
        kind: "payment_link",
        _id: row.id,
        title: row.title,
        detail: inOneLine(row.email, row.reference),
        status: row.status,
        amount: row.amount,
        currency: row.currency,
        matched: links.textIds.has(row.id) ? "text" : "amount",
      }),
    ),
    ...paymentRows.map(
      (row): Found => ({
        kind: "payment",
        _id: row.id,
        title: row.title,
        detail: inOneLine(
          netIds.has(row.id) && row.net !== null
            ? `${displayAmount(row.net, row.currency)} after fees`
            : null,
          row.email,
          row.reference,
        ),
        status: row.status,
        amount: row.amount,
        currency: row.currency,
        matched: payments.textIds.has(row.id) ? "text" : "amount",
      }),
    ),
    ...tokens.rows.map(
      (row): Found => ({
        kind: "tokenization",
        _id: row.id,
        title: row.title,
        detail: row.email,
        status: row.status,
        amount: null,
        currency: null,
        matched: "text",
      }),
    ),
    ...subscriptions.rows.map(
      (row): Found => ({
        kind: "subscription",
        _id: row.id,
        title: row.email,
        detail: row.package.name,
        status: row.status,
        amount: row.package.amount,
        currency: row.package.currency,
        matched: "text",
      }),
    ),
    ...packages.map(
      (row): Found => ({
        kind: "package",
        _id: row.id,
        title: row.name,
        detail: row.description,
        status: row.status,
        amount: row.amount,
        currency: row.currency,
        matched: "text",
      }),
    ),
    ...customers.rows.map(
      (row): Found => ({
        kind: "customer",
        _id: row.id,
        title: row.name ?? row.email,
        detail: row.name === null ? row.phoneNo : row.email,
        status: null,
        amount: null,
        currency: null,
        matched: customers.textIds.has(row.id) ? "text" : "phone_no",
      }),
    ),
  ];
}

type ListQuery<List extends (ctx: Ctx, query: never, ...walk: never[]) => unknown> =
  Parameters<List>[1];

type Row = { id: string };
type Ranked<R> = {
  rows: R[];
  /** Those that a list finds by the text too. */
  textIds: ReadonlySet<string>;
};

const idsOf = (rows: readonly Row[]): ReadonlySet<string> => new Set(rows.map(({ id }) => id));

/**
 * What a text finds, and the groups of rows that it may mean otherwise. Where there may be more than is shown, records with a field that is
 * the whole text and the groups have equal shares, before records that only hold the text.
 */
async function meantFirst<R extends Row, Query extends { q?: string | undefined }>(
  list: (query: Query) => Promise<R[]>,
  q: string,
  fields: readonly (keyof Query)[],
  groups: readonly (readonly R[])[] = [],
): Promise<Ranked<R>> {
  const found = await list({ q } as Query);
  const whole: R[] = [];
  if (found.length + groups.flat().length >= newest.limit)
    for (const field of fields) whole.push(...(await list({ [field]: q } as Query)));
  const meant = inTurn([whole, ...groups]);
  const byId = new Map([...meant, ...found].map((row) => [row.id, row]));
  return { rows: [...byId.values()].slice(0, newest.limit), textIds: idsOf([...whole, ...found]) };
}

/** The first row of each group, then the second of each, and so on. */
const inTurn = <R>(groups: readonly (readonly R[])[]): R[] =>
  Array.from({ length: Math.max(...groups.map(({ length }) => length)) }, (_, at) =>
    groups.flatMap((group) => group.slice(at, at + 1)),
  ).flat();

const inOneLine = (...parts: readonly (string | null)[]): string | null =>
  parts.filter((part) => part !== null).join(" · ") || null;

/** The customers with a phone number, however it is written: as their own, and in records that they gave it with. */
async function ofPhone(ctx: Ctx, phone: Phone): Promise<CustomerRow[][]> {
  const { digits } = phone;
  const { limit } = newest;
  const own = await customersOfPhone(ctx, phone, limit);
  const near = { rows: recordsReadForPhone, limit };
  const emails = [
    ...(await subscribersOfPhone(ctx, digits, limit)),
    ...(await payersOfPhone(ctx, digits, near)),
    ...(await holdersOfPhone(ctx, digits, near)),
  ];
  const given = await each(emails, (email) => listCustomers(ctx, { email }, newest));
  return [own, given.flat()];
}

const exactly = (minor: number) => ({ amount_min: minor, amount_max: minor });

type Money = { minor: number; currency: string };

/** The amounts that the text may mean, in each currency that the records have. */
async function amountsOf(
  q: string,
  currencies: () => Promise<readonly string[]>,
): Promise<Money[]> {
  const amounts = amountsIn(q);
  if (amounts.length === 0) return [];
  return (await currencies()).flatMap((currency) =>
    amounts
      .filter(({ digits }) => digits === currencyDigits(currency))
      .map(({ minor }) => ({ minor, currency })),
  );
}

/** One after the other: all statements of a search share a connection. */
async function each<T, R>(list: readonly T[], read: (one: T) => Promise<R>): Promise<R[]> {
  const all: R[] = [];
  for (const one of list) all.push(await read(one));
  return all;
}
