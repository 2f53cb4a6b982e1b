import { heavyRead } from "@/db/heavy-reads";
import type { Found } from "@/lib/contract/search";
import type { Ctx } from "../context";
import { type CustomerRow, listCustomers } from "../customers/rows";
import { listPackages } from "../packages/rows";
import { listLinks } from "../payment-links/list-rows";
import { listPayments, paymentsByNet } from "../payments/list-rows";
import { withPayers } from "../payments/payer-rows";
import { listSubscriptions } from "../subscriptions/rows";
import { listTokenizations } from "../tokenizations/rows";
import { currencyDigits } from "@/lib/kernel/currencies";
import { displayAmount } from "@/lib/kernel/money";
import { amountsIn } from "./amounts";
import { isSamePhone, phoneEndings } from "./phones";

const newest = { sort: "-created_at", limit: 5, offset: 0, back: false } as const;

/**
 * The newest five records of each kind that a text finds: by title, name, phone number, e-mail address, reference, id or amount. The ones
 * with the whole text as reference or address come before those that hold it. A payment is also found by its amount after fees.
 */
export function find(ctx: Ctx, q: string): Promise<Found[]> {
  return heavyRead(ctx, "search", () => findEach(ctx, q));
}

async function findEach(ctx: Ctx, q: string): Promise<Found[]> {
  const ofLinks = (query: ListQuery<typeof listLinks>) => listLinks(ctx, query, newest);
  const links = await withAmounts(
    q,
    await wholeFirst(ofLinks, q, ["reference", "reference_2", "email"]),
    (minor) => ofLinks(exactly(minor)),
  );
  const ofPayments = (query: ListQuery<typeof listPayments>) => listPayments(ctx, query, newest);
  const gross = await withAmounts(
    q,
    await wholeFirst(ofPayments, q, ["reference", "email"]),
    (minor) => ofPayments(exactly(minor)),
  );
  // A bank statement shows what is left after fees.
  const net = await withAmounts(q, [], (minor) => paymentsByNet(ctx, minor, newest.limit));
  const byNet = net.filter(({ id }) => !gross.some((row) => row.id === id));
  const payments = await withPayers(ctx, [...gross, ...byNet].slice(0, newest.limit));
  const ofTokens = (query: ListQuery<typeof listTokenizations>) =>
    listTokenizations(ctx, query, newest);
  const tokens = await wholeFirst(ofTokens, q, ["email"]);
  const ofSubscriptions = (query: ListQuery<typeof listSubscriptions>) =>
    listSubscriptions(ctx, query, newest);
  const subscriptions = await wholeFirst(ofSubscriptions, q, ["email"]);
  const packages = await listPackages(ctx, { q }, newest);
  const ofCustomers = (query: ListQuery<typeof listCustomers>) => listCustomers(ctx, query, newest);
  const byText = await wholeFirst(ofCustomers, q, ["email"]);
  const customers = await withPhones(ctx, q, byText);
  return [
    ...links.map(
      (row): Found => ({
        kind: "payment_link",
        _id: row.id,
        title: row.title,
        detail: inOneLine(row.email, row.reference),
        status: row.status,
        amount: row.amount,
        currency: row.currency,
      }),
    ),
    ...payments.map(
      (row): Found => ({
        kind: "payment",
        _id: row.id,
        title: row.title,
        detail: inOneLine(
          byNet.some(({ id }) => id === row.id) && row.net !== null
            ? `${displayAmount(row.net, row.currency)} after fees`
            : null,
          row.email,
          row.reference,
        ),
        status: row.status,
        amount: row.amount,
        currency: row.currency,
      }),
    ),
    ...tokens.map(
      (row): Found => ({
        kind: "tokenization",
        _id: row.id,
        title: row.title,
        detail: row.email,
        status: row.status,
        amount: null,
        currency: null,
      }),
    ),
    ...subscriptions.map(
      (row): Found => ({
        kind: "subscription",
        _id: row.id,
        title: row.email,
        detail: row.package.name,
        status: row.status,
        amount: row.package.amount,
        currency: row.package.currency,
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
      }),
    ),
    ...customers.map(
      (row): Found => ({
        kind: "customer",
        _id: row.id,
        title: row.name ?? row.email,
        detail: row.name === null ? row.phoneNo : row.email,
        status: null,
        amount: null,
        currency: null,
      }),
    ),
  ];
}

type ListQuery<List extends (ctx: Ctx, query: never, ...walk: never[]) => unknown> =
  Parameters<List>[1];

/** What a text finds. Where more was found than is shown, records with a field that is the whole text come first. */
async function wholeFirst<R extends { id: string }, Query extends { q?: string | undefined }>(
  list: (query: Query) => Promise<R[]>,
  q: string,
  fields: readonly (keyof Query)[],
): Promise<R[]> {
  const found = await list({ q } as Query);
  if (found.length < newest.limit) return found;
  const rows: R[] = [];
  for (const field of fields) rows.push(...(await list({ [field]: q } as Query)));
  const each = new Map([...rows, ...found].map((row) => [row.id, row]));
  return [...each.values()].slice(0, newest.limit);
}

const inOneLine = (...parts: readonly (string | null)[]): string | null =>
  parts.filter((part) => part !== null).join(" · ") || null;

/** Customers with the same ending that are compared digit by digit. */
const PHONES_COMPARED = 100;

/** Adds the customers with that phone number, also in another spelling. */
async function withPhones(
  ctx: Ctx,
  q: string,
  found: readonly CustomerRow[],
): Promise<readonly CustomerRow[]> {
  const rows = [...found];
  for (const ending of phoneEndings(q)) {
    const alike = await listCustomers(ctx, { q: ending }, { ...newest, limit: PHONES_COMPARED });
    rows.push(
      ...alike.filter(
        ({ id, phoneNo }) =>
          phoneNo !== null && isSamePhone(phoneNo, q) && !rows.some((row) => row.id === id),
      ),
    );
  }
  return rows.slice(0, newest.limit);
}

const exactly = (minor: number) => ({ amount_min: minor, amount_max: minor });

type Row = { id: string; currency: string };

/** Adds what has one of the amounts that the text may mean. */
async function withAmounts<R extends Row>(
  q: string,
  found: readonly R[],
  list: (minor: number) => Promise<R[]>,
): Promise<R[]> {
  const rows = [...found];
  for (const { minor, digits } of amountsIn(q))
    rows.push(
      ...(await list(minor)).filter(
        ({ id, currency }) =>
          currencyDigits(currency) === digits && !rows.some((row) => row.id === id),
      ),
    );
  return rows.slice(0, newest.limit);
}
