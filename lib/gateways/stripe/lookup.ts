import type * as z from "zod";
import type { Connection, Known } from "../gateway";
import { call, type Told, type Trouble } from "./client";
import { attemptKey, pageOf, PaymentIntent, Session } from "./shapes";

// Finding again what was begun. By its own id where we kept it, else by walking the list of what was made since: Stripe's search lags behind
// and is not asked. A walk that does not reach its end has proven nothing.

const sessionParts = ["payment_intent.latest_charge.balance_transaction", "setup_intent.payment_method"];
export const intentParts = ["latest_charge.balance_transaction"];

const perPage = 100;
const mostPages = 30;
/** Clocks differ; what we looked for a moment too late would be missed. */
const marginSeconds = 300;

export type Found = { session: Session } | { intent: PaymentIntent };
export type LookUp = { kind: "found"; found: Found } | { kind: "nothing" } | { kind: "unsure"; reason: string };

const unsure = ({ reason }: Trouble): LookUp => ({ kind: "unsure", reason });

/** Since when an attempt may exist, in unix seconds: our ids begin with their second. */
function sinceOf(reference: string, known: Known | undefined): number {
  const told = known ? Date.parse(known.since) / 1000 : Number.NaN;
  const own = Number.parseInt(/(?:^|_)([0-9a-f]{8})[0-9a-f]{16}(?:_|$)/.exec(reference)?.[1] ?? "", 16);
  const since = Number.isFinite(told) ? told : own;
  return Math.floor(Number.isFinite(since) ? since : Date.now() / 1000 - 7 * 86_400) - marginSeconds;
}

export async function getSession(connection: Connection, id: string): Promise<Told<Session>> {
  return call(connection, "Stripe's page", Session, (stripe) => stripe.checkout.sessions.retrieve(id, { expand: sessionParts }));
}

async function getIntent(connection: Connection, id: string): Promise<Told<PaymentIntent>> {
  return call(connection, "Stripe's payment", PaymentIntent, (stripe) => stripe.paymentIntents.retrieve(id, { expand: intentParts }));
}

/** The attempt a reference names, hosted or not. What is another's or another mode's is nothing of ours. */
export async function lookUp(connection: Connection, reference: string, known?: Known): Promise<LookUp> {
  const kept = known?.gatewayId ?? "";
  if (kept.startsWith("cs_")) return named(connection, reference, await getSession(connection, kept), (session) => ({ session }));
  if (kept.startsWith("pi_")) return named(connection, reference, await getIntent(connection, kept), (intent) => ({ intent }));
  const since = sinceOf(reference, known);
  const page = await walk(connection, Session, (session) => session.client_reference_id === reference, (after) => (stripe) =>
    stripe.checkout.sessions.list({ created: { gte: since }, limit: perPage, ...(after ? { starting_after: after } : {}) }));
  if ("kind" in page) return page;
  if (page.item) return named(connection, reference, await getSession(connection, page.item.id), (session) => ({ session }));
  const list = await walk(connection, PaymentIntent, (intent) => intent.metadata[attemptKey] === reference, (after) => (stripe) =>
    stripe.paymentIntents.list({ created: { gte: since }, limit: perPage, ...(after ? { starting_after: after } : {}) }));
  if ("kind" in list) return list;
  if (list.item) return named(connection, reference, await getIntent(connection, list.item.id), (intent) => ({ intent }));
  return { kind: "nothing" };
}

function named<T extends Session | PaymentIntent>(connection: Connection, reference: string, told: Told<T>, found: (value: T) => Found): LookUp {
  if (!told.ok) return told.trouble.kind === "missing" ? { kind: "nothing" } : unsure(told.trouble);
  const name = "client_reference_id" in told.value ? told.value.client_reference_id : told.value.metadata[attemptKey];
  if (name !== reference || told.value.livemode !== (connection.mode === "live")) return { kind: "unsure", reason: "What Stripe has under this id is not this attempt." };
  return { kind: "found", found: found(told.value) };
}

type Question = Parameters<typeof call>[3];

/** Walks a list, newest first, to the item that is looked for. */
async function walk<T extends z.ZodType<{ id: string }>>(
  connection: Connection, shape: T, wanted: (item: z.output<T>) => boolean, ask: (after: string | undefined) => Question,
): Promise<{ item: z.output<T> | undefined } | { kind: "unsure"; reason: string }> {
  let after: string | undefined;
  for (let pages = 0; pages < mostPages; pages++) {
    const told = await call(connection, "Stripe's list", pageOf(shape), ask(after));
    if (!told.ok) return { kind: "unsure", reason: told.trouble.reason };
    const { data, has_more } = told.value as { data: z.output<T>[]; has_more: boolean };
    const item = data.find(wanted);
    if (item !== undefined || !has_more) return { item };
    after = data.at(-1)?.id;
    if (after === undefined) break;
  }
  return { kind: "unsure", reason: "Stripe's list is too long to be walked to its end." };
}
