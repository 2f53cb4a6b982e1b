import type * as z from "zod";
import type { Connection, Hint } from "../gateway";
import { call, type StripeResult, type Trouble } from "./client";
import { attemptKey, pageOf, PaymentIntent, Session } from "./shapes";

// Finds an attempt by its Stripe id, where we stored one or a callback names one. Else it walks the list of that time: Stripe's search
// lags, so it is not used. A walk that does not reach its end proves nothing. Both lists are walked at once, until the attempt is found in one of them.

const sessionParts = [
  "payment_intent.latest_charge.balance_transaction",
  "setup_intent.payment_method",
];
export const intentParts = ["latest_charge.balance_transaction"];

const perPage = 100;
const MAX_PAGES = 100;
/** After this no further page of a list is asked for: callers wait for 40 s in all, and one page may take long. */
const WALK_MS = 30_000;
/** Clocks differ by less than this. */
const marginSeconds = 300;
/** An attempt makes its objects within this: a page is open for half an hour, a request travels for a quarter at most. */
const longestSeconds = 2_700;

export type Found = { session: Session } | { intent: PaymentIntent };
type Unsure = { kind: "unsure"; reason: string };
export type LookUp = { kind: "found"; found: Found } | { kind: "nothing" } | Unsure;

const unsure = ({ reason }: Trouble): Unsure => ({ kind: "unsure", reason });

/** When an attempt may have made its objects, in unix seconds. Without its start in the hint only that of the record is known: our ids begin with a second. */
function momentsOf(reference: string, hint: Hint | undefined): { gte: number; lte?: number } {
  const sent = hint?.since ? Math.floor(Date.parse(hint.since) / 1000) : Number.NaN;
  if (Number.isFinite(sent))
    return { gte: sent - marginSeconds, lte: sent + longestSeconds + marginSeconds };
  const own = Number.parseInt(
    /(?:^|_)([0-9a-f]{8})[0-9a-f]{16}(?:_|$)/.exec(reference)?.[1] ?? "",
    16,
  );
  return {
    gte: (Number.isFinite(own) ? own : Math.floor(Date.now() / 1000) - 7 * 86_400) - marginSeconds,
  };
}

export async function getSession(
  connection: Connection,
  id: string,
): Promise<StripeResult<Session>> {
  return call(connection, "Stripe's page", Session, (stripe) =>
    stripe.checkout.sessions.retrieve(id, { expand: sessionParts }),
  );
}

async function getIntent(connection: Connection, id: string): Promise<StripeResult<PaymentIntent>> {
  return call(connection, "Stripe's payment", PaymentIntent, (stripe) =>
    stripe.paymentIntents.retrieve(id, { expand: intentParts }),
  );
}

/** The attempt of a reference, hosted or not. Objects of another attempt or mode do not count. */
export async function lookUp(
  connection: Connection,
  reference: string,
  hint?: Hint,
): Promise<LookUp> {
  const endsAt = performance.now() + WALK_MS;
  const kept = hint?.gatewayId ?? "";
  const result =
    hint?.fromCallback && hint.fromCallback !== kept
      ? await lookUpNamed(connection, reference, hint.fromCallback)
      : null;
  if (result) return result;
  if (kept.startsWith("cs_"))
    return named(connection, reference, await getSession(connection, kept), (session) => ({
      session,
    }));
  if (kept.startsWith("pi_"))
    return named(connection, reference, await getIntent(connection, kept), (intent) => ({
      intent,
    }));
  return lookUpListed(connection, reference, momentsOf(reference, hint), endsAt);
}

/** An intent may be that of a page, which is then read instead: it may still take another card. */
async function lookUpListed(
  connection: Connection,
  reference: string,
  created: ReturnType<typeof momentsOf>,
  endsAt: number,
): Promise<LookUp> {
  let isFound = false;
  const goesOn = () => !isFound && performance.now() < endsAt;
  const note = (walked: Walked) => {
    isFound ||= walked.kind === "found";
    return walked;
  };
  const asked = (after: string | undefined) => ({
    created,
    limit: perPage,
    ...(after ? { starting_after: after } : {}),
  });
  const [page, payment] = await Promise.all([
    walk(
      connection,
      Session,
      (session) => session.client_reference_id === reference,
      (after) => (stripe) => stripe.checkout.sessions.list(asked(after)),
      goesOn,
    ).then(note),
    walk(
      connection,
      PaymentIntent,
      (intent) => intent.metadata[attemptKey] === reference,
      (after) => (stripe) => stripe.paymentIntents.list(asked(after)),
      goesOn,
    ).then(note),
  ]);
  if (page.kind === "found")
    return named(connection, reference, await getSession(connection, page.id), (session) => ({
      session,
    }));
  if (payment.kind === "found")
    return (
      (await lookUpNamed(connection, reference, payment.id)) ?? { kind: "unsure", reason: notThis }
    );
  return page.kind === "unsure" ? page : payment;
}

/** The object that a callback names, if it is this attempt. A payment made on a page is read by its page, which may still take another card. */
async function lookUpNamed(
  connection: Connection,
  reference: string,
  id: string,
): Promise<LookUp | null> {
  if (id.startsWith("cs_"))
    return ifThis(
      named(connection, reference, await getSession(connection, id), (session) => ({ session })),
    );
  if (!id.startsWith("pi_")) return null;
  const pages = await call(connection, "Stripe's page of a payment", pageOf(Session), (stripe) =>
    stripe.checkout.sessions.list({ payment_intent: id, limit: 1 }),
  );
  if (!pages.ok)
    return pages.trouble.kind === "missing" || pages.trouble.kind === "refused"
      ? null
      : unsure(pages.trouble);
  const [page] = pages.value.data;
  if (page)
    return ifThis(
      named(connection, reference, await getSession(connection, page.id), (session) => ({
        session,
      })),
    );
  return ifThis(
    named(connection, reference, await getIntent(connection, id), (intent) => ({ intent })),
  );
}

const ifThis = (looked: LookUp): LookUp | null =>
  looked.kind === "nothing" || (looked.kind === "unsure" && looked.reason === notThis)
    ? null
    : looked;

const notThis = "What Stripe has under this id is not this attempt.";

function named<T extends Session | PaymentIntent>(
  connection: Connection,
  reference: string,
  result: StripeResult<T>,
  found: (value: T) => Found,
): LookUp {
  if (!result.ok)
    return result.trouble.kind === "missing" ? { kind: "nothing" } : unsure(result.trouble);
  const name =
    "client_reference_id" in result.value
      ? result.value.client_reference_id
      : result.value.metadata[attemptKey];
  if (name !== reference || result.value.livemode !== (connection.mode === "live"))
    return { kind: "unsure", reason: notThis };
  return { kind: "found", found: found(result.value) };
}

type Question = Parameters<typeof call>[3];

type Walked = { kind: "found"; id: string } | { kind: "nothing" } | Unsure;

/** Walks a list, newest first, to the item that is looked for, while `goesOn`. */
async function walk<T extends z.ZodType<{ id: string }>>(
  connection: Connection,
  shape: T,
  wanted: (item: z.output<T>) => boolean,
  ask: (after: string | undefined) => Question,
  goesOn: () => boolean,
): Promise<Walked> {
  let after: string | undefined;
  for (let pages = 0; pages < MAX_PAGES && goesOn(); pages++) {
    const result = await call(connection, "Stripe's list", pageOf(shape), ask(after));
    if (!result.ok) return unsure(result.trouble);
    const { data, has_more } = result.value as { data: z.output<T>[]; has_more: boolean };
    const item = data.find(wanted);
    if (item !== undefined) return { kind: "found", id: item.id };
    if (!has_more) return { kind: "nothing" };
    after = data.at(-1)?.id;
    if (after === undefined) break;
  }
  return { kind: "unsure", reason: "Stripe's list is too long to be walked to its end." };
}
