import { createHash } from "node:crypto";
import { type Tx, withTransaction } from "@/db/client";
import { currencyDigits } from "@/lib/kernel/currencies";
import { newId, newToken } from "@/lib/kernel/ids";
import { digest, seal } from "@/lib/kernel/secrets";
import type { BeginPayment, Charge, Connection, Money, SaveMethod } from "../gateway";
import * as refundRows from "./refunds/rows";
import type { Refund } from "./refunds/rows";
import * as callbackRows from "./callback-rows";
import * as rows from "./rows";
import * as sessionRows from "./session-rows";
import {
  cardFor,
  feeFor,
  liveDecline,
  type Outcome,
  planCharge,
  planPress,
  referenceIn,
  uniqueReference,
} from "./rules";

/** The bank of the simulator: its records and decisions, before a response is built, delayed or dropped. */

/** The reference of a page was used before under another key; the transaction is rolled back so that the key stays free. */
class ReferenceUsed extends Error {}

const keyMisused = "This key was used for another request.";
const referenceMisused = "This reference was used under another key.";

/** The connection's account, made on its first call; its secret follows the connection's. */
export async function accountOf(connection: Connection): Promise<rows.Account> {
  const secretDigest = digest(connection.secret);
  const known = await rows.getAccount(connection.id);
  if (known?.secretDigest === secretDigest) return known;
  return rows.putAccount({
    connectionId: connection.id,
    secretSealed: seal(connection.secret, "gateway"),
    secretDigest,
  });
}

function digestOf(verb: string, fields: Array<string | number>): string {
  return createHash("sha256")
    .update(JSON.stringify([verb, ...fields]))
    .digest("hex");
}

type Claimed<T> = { kind: "done"; value: T } | { kind: "refused"; reason: string };

function wrongMoney({ amount, currency }: Money): { kind: "refused"; reason: string } | undefined {
  if (!Number.isSafeInteger(amount) || amount <= 0)
    return { kind: "refused", reason: "The amount must be a whole number above 0." };
  if (currencyDigits(currency) === undefined)
    return { kind: "refused", reason: "The currency is not known." };
  return undefined;
}

/** Runs `first` once for a key; later requests with the same parameters get `again` of what the first one made. */
async function once<T>(
  request: { connectionId: string; key: string; digest: string },
  first: (tx: Tx, id: string) => Promise<T>,
  again: (tx: Tx, id: string) => Promise<T>,
): Promise<Claimed<T>> {
  try {
    return await withTransaction(async (tx): Promise<Claimed<T>> => {
      const id = newId();
      const earlier = await rows.claimKey(tx, { ...request, subjectId: id });
      if (!earlier) return { kind: "done", value: await first(tx, id) };
      if (earlier.digest !== request.digest) return { kind: "refused", reason: keyMisused };
      return { kind: "done", value: await again(tx, earlier.subjectId) };
    });
  } catch (error) {
    if (error instanceof ReferenceUsed) return { kind: "refused", reason: referenceMisused };
    throw error;
  }
}

async function sessionOf(tx: Tx, connectionId: string, id: string): Promise<sessionRows.Session> {
  const session = await sessionRows.getSession(tx, connectionId, id);
  if (!session) throw new Error("a simulator key names no session");
  return session;
}

/** Queues a callback, unless a script drops it. */
export async function notify(
  tx: Tx,
  session: sessionRows.Session,
  happened?: string,
): Promise<void> {
  const reference = referenceIn(session.reference);
  const script = await rows.takeScript(tx, session.connectionId, "callback", reference);
  if (script?.effect === "drop") return;
  const id = newId();
  const type = happened ?? `${session.kind === "save" ? "method" : "payment"}.${session.state}`;
  const body = JSON.stringify({ id, type, reference });
  const dueInMs = script?.effect === "late" ? script.delayMs : 0;
  await callbackRows.insertCallback(tx, {
    connectionId: session.connectionId,
    id,
    type,
    reference,
    body,
    dueInMs,
  });
}

/** Writes to the journal what finished sessions did to money. */
export async function writeJournal(tx: Tx, sessions: sessionRows.Session[]): Promise<void> {
  const entries = sessions.flatMap((session) => {
    if (session.amount === null || session.currency === null) return [];
    if (session.state !== "succeeded" && session.state !== "failed") return [];
    const taken = session.state === "succeeded";
    return {
      connectionId: session.connectionId,
      id: newId(),
      sessionId: session.id,
      reference: referenceIn(session.reference),
      type: taken ? ("charge" as const) : ("decline" as const),
      amount: session.amount,
      currency: session.currency,
      fee: taken ? feeFor(session.amount) : 0,
      decline: session.decline,
    };
  });
  await rows.insertJournal(tx, entries);
}

/** Opens a hosted page, or gives the one this key opened. */
export async function openPage(
  connection: Connection,
  request: (BeginPayment & { kind: "pay" }) | (SaveMethod & { kind: "save" }),
): Promise<Claimed<sessionRows.Session>> {
  if (connection.mode !== "test") return { kind: "refused", reason: liveDecline.reason };
  const money =
    request.kind === "pay" ? { amount: request.amount, currency: request.currency } : undefined;
  const wrong = money && wrongMoney(money);
  if (wrong) return wrong;
  const { key, reference, title, returnUrl, cancelUrl, expiresAt } = request;
  if (![returnUrl, cancelUrl].every((url) => /^https?:$/.test(URL.parse(url)?.protocol ?? ""))) {
    return { kind: "refused", reason: "The addresses to return to must be http or https." };
  }
  const digest = digestOf(request.kind, [
    money?.amount ?? "",
    money?.currency ?? "",
    reference,
    title,
    returnUrl,
    cancelUrl,
    expiresAt,
  ]);
  const connectionId = connection.id;
  return once(
    { connectionId, key, digest },
    async (tx, id) => {
      const page = {
        id,
        connectionId,
        page: newToken(),
        kind: request.kind,
        reference,
        state: "open" as const,
        title,
        returnUrl,
        cancelUrl,
        expiresAt,
      };
      const { linkId, ownReference } = request.kind === "pay" ? request : {};
      if (!(await sessionRows.insertSession(tx, { ...page, ...money, linkId, ownReference })))
        throw new ReferenceUsed();
      return sessionOf(tx, connectionId, id);
    },
    (tx, id) => sessionOf(tx, connectionId, id),
  );
}

type ChargeDone = { session: sessionRows.Session; answersAfterMs: number };

/** Charges a saved method, once for a key: as at other gateways, a second key takes the money again, also for the same reference. A repeated request is answered at once, however slow the first answer was. */
export async function chargeMethod(
  connection: Connection,
  account: rows.Account,
  charge: Charge,
): Promise<Claimed<ChargeDone>> {
  const { amount, currency, key, reference, title, methodId } = charge;
  const wrong = wrongMoney({ amount, currency });
  if (wrong) return wrong;
  const connectionId = connection.id;
  return once(
    {
      connectionId,
      key,
      digest: digestOf("charge", [amount, currency, reference, title, methodId]),
    },
    async (tx, id) => {
      const method = await rows.lockMethod(tx, connectionId, methodId);
      const plan = planCharge(method);
      const decline = connection.mode === "test" ? plan.decline : liveDecline;
      const row = {
        id,
        connectionId,
        kind: "charge" as const,
        reference,
        state: decline ? ("failed" as const) : plan.state,
        amount,
        currency,
        title,
        methodId: method?.id,
        subscriptionId: charge.subscriptionId,
        tokenizationId: charge.tokenizationId,
        ownReference: charge.ownReference,
        decline: decline?.decline,
        reason: decline?.reason,
        settlesInMs: !decline && plan.state === "pending" ? account.approveAfterMs : undefined,
      };
      if (!(await sessionRows.insertSession(tx, row)))
        await sessionRows.insertSession(tx, {
          ...row,
          reference: uniqueReference(reference, id),
        });
      if (plan.usesDecline) await rows.useMethodDecline(tx, connectionId, methodId);
      const session = await sessionOf(tx, connectionId, id);
      await writeJournal(tx, [session]);
      if (!plan.silent) await notify(tx, session);
      return { session, answersAfterMs: plan.answersAfterMs };
    },
    async (tx, id) => ({ session: await sessionOf(tx, connectionId, id), answersAfterMs: 0 }),
  );
}

/** The attempt with a reference; undefined when it does not exist. An expired page is closed first. */
export async function lookUp(
  connection: Connection,
  reference: string,
): Promise<sessionRows.Session | undefined> {
  return withTransaction(async (tx) => {
    const session = await sessionRows.lockSessionByReference(tx, connection.id, reference);
    return session && ((await closeIfDue(tx, session)) ?? session);
  });
}

async function closeIfDue(
  tx: Tx,
  session: sessionRows.Session,
): Promise<sessionRows.Session | undefined> {
  const expired = await sessionRows.expireIfDue(tx, session);
  if (expired) await notify(tx, expired);
  return expired;
}

/** Closes an open page; undefined when there is no such attempt, false when it is no longer open. */
export async function closePage(
  connection: Connection,
  reference: string,
): Promise<boolean | undefined> {
  return withTransaction(async (tx) => {
    const found = await sessionRows.lockSessionByReference(tx, connection.id, reference);
    if (!found) return undefined;
    const session = (await closeIfDue(tx, found)) ?? found;
    if (session.state === "open")
      await notify(tx, await sessionRows.finishSession(tx, session, { state: "cancelled" }));
    return ["open", "cancelled", "expired"].includes(session.state);
  });
}

/** The payer's press. Only the first one on an open page does anything; every press returns the current session. */
export async function press(
  page: string,
  outcome: Outcome,
  laterDeclines: number,
): Promise<sessionRows.Session | undefined> {
  const seen = await sessionRows.getSessionByPage(page);
  if (!seen) return undefined;
  const account = await rows.getAccount(seen.connectionId);
  return withTransaction(async (tx) => {
    const session = await sessionRows.lockSessionByPage(tx, page);
    if (!session || session.kind === "charge" || session.state !== "open") return session;
    const expired = await closeIfDue(tx, session);
    if (expired) return expired;
    const plan = planPress(session.kind, outcome, laterDeclines);
    const methodId = plan.method ? newId() : null;
    if (plan.method && methodId) {
      await rows.insertMethod(tx, {
        connectionId: session.connectionId,
        id: methodId,
        ...cardFor(plan.method.behaviour, new Date()),
        ...plan.method,
      });
    }
    const finished = await sessionRows.finishSession(tx, session, {
      state: plan.state,
      decline: plan.decline?.decline ?? null,
      reason: plan.decline?.reason ?? null,
      methodId,
      hiddenLooks: plan.hiddenLooks,
      settlesInMs: plan.state === "pending" ? (account?.approveAfterMs ?? 0) : undefined,
    });
    await writeJournal(tx, [finished]);
    if (!plan.silent) await notify(tx, finished);
    return finished;
  });
}

/** `declined`: refused whatever is left. `pendingMs`: it goes through so much later. */
export type RefundScript = { declined?: string; pendingMs?: number };

/** Gives money back, once for a key, never more than was taken. */
export async function giveBack(
  connection: Connection,
  refund: Money & { key: string; reference: string },
  scripted: RefundScript = {},
): Promise<Claimed<Refund>> {
  const { amount, currency, key, reference } = refund;
  const wrong = wrongMoney({ amount, currency });
  if (wrong) return wrong;
  const connectionId = connection.id;
  return once(
    { connectionId, key, digest: digestOf("refund", [amount, currency, reference]) },
    async (tx, id) => {
      const session = await sessionRows.lockSessionByReference(tx, connectionId, reference);
      const refusedBecause =
        (await refundRefusal(tx, session, refund)) ?? scripted.declined ?? null;
      const settlesInMs = refusedBecause === null ? scripted.pendingMs : undefined;
      const made = await refundRows.insertRefund(tx, {
        connectionId,
        id,
        sessionId: session?.id,
        reference,
        amount,
        currency,
        refusedBecause,
        settlesInMs,
      });
      if (refusedBecause === null && settlesInMs === undefined) await paidBack(tx, [made]);
      return made;
    },
    async (tx, id) => {
      const made = await refundRows.getRefund(tx, connectionId, id);
      if (!made) throw new Error("a simulator key names no refund");
      return made;
    },
  );
}

async function refundRefusal(
  tx: Tx,
  session: sessionRows.Session | undefined,
  refund: Money,
): Promise<string | null> {
  if (session?.state !== "succeeded" || session.amount === null) return "There is no such payment.";
  if (session.currency !== refund.currency) return `The payment was made in ${session.currency}.`;
  const left =
    session.amount - (await refundRows.refundedAmount(tx, session.connectionId, session.id));
  return refund.amount > left ? "The refund is more than what is left of the payment." : null;
}

/** Writes refunds that went through to the journal and sends their callbacks. */
async function paidBack(tx: Tx, refunds: readonly Refund[]): Promise<void> {
  for (const { connectionId, id, sessionId, reference, amount, currency } of refunds) {
    if (sessionId === null) throw new Error("a simulator refund of no payment");
    await rows.insertJournal(tx, [
      { connectionId, id, sessionId, reference, type: "refund", amount, currency, fee: 0 },
    ]);
    await notify(tx, await sessionOf(tx, connectionId, sessionId), "refund.succeeded");
  }
}

/** What of a connection is due: everything, or only these sessions and refunds. */
type DueAt = { connectionId: string; sessions?: readonly string[]; refunds?: readonly string[] };

/** Lets happen what was waiting for its time: pending payments and refunds go through, forgotten pages close. */
export async function passTime({ connectionId, sessions, refunds }: DueAt): Promise<number> {
  const all = sessions === undefined && refunds === undefined;
  const [sessionIds, refundIds] = all ? [] : [sessions ?? [], refunds ?? []];
  return withTransaction(async (tx) => {
    const settled = await sessionRows.settleDueSessions(tx, connectionId, sessionIds);
    await writeJournal(tx, settled);
    const paid = await refundRows.settleDueRefunds(tx, connectionId, refundIds);
    await paidBack(tx, paid);
    const expired = await sessionRows.expireDueSessions(tx, connectionId, sessionIds);
    for (const session of [...settled, ...expired]) await notify(tx, session);
    return settled.length + paid.length + expired.length;
  });
}
