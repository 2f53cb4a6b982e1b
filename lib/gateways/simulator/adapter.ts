import { setTimeout as wait } from "node:timers/promises";
import * as z from "zod";
import { assertNoTransaction, db } from "@/db/client";
import { env } from "@/lib/env";
import { log } from "@/lib/kernel/log";
import type {
  BeginAnswer,
  BeginPayment,
  Callback,
  CancelAnswer,
  ChargeAnswer,
  Connection,
  FindAnswer,
  FindRefundAnswer,
  ForgetAnswer,
  Gateway,
  RefundAnswer,
  RefundsAndDisputes,
  RefundState,
  SavedMethod,
  SaveMethod,
  Unknown,
} from "../gateway";
import * as bank from "./bank";
import { settleAtOnce } from "./clockwork";
import { type KeyedRefund, keyedRefunds, type Refund, refundByKey } from "./refunds/rows";
import * as rows from "./rows";
import * as sessionRows from "./session-rows";
import { feeFor, referenceIn } from "./rules";
import { signatureHeader, verify } from "./signature";

export const unknown = (reason: string): Unknown => ({ kind: "unknown", reason });

type Done<T> = { answer: T; answersAfterMs?: number };

/** One call to the simulator, which a script can delay or lose. Its work is committed before that. Without an answer in time it returns `unknown`. */
export async function call<T extends { kind: string }>(
  connection: Connection,
  verb: rows.Script["verb"],
  reference: string,
  work: (account: rows.Account, script: rows.Script | undefined) => Promise<Done<T>>,
): Promise<T | Unknown> {
  assertNoTransaction(`the simulator's ${verb}`);
  try {
    const account = await bank.accountOf(connection);
    const script = await rows.takeScript(db, account.connectionId, verb, reference);
    if (script?.effect === "error") return unknown("The gateway answered with an error (500).");
    const done = await work(account, script);
    if (script?.effect === "reset")
      return unknown("The connection to the gateway broke before its answer came.");
    const delayMs = delayOf(script, done.answersAfterMs ?? 0);
    await wait(Math.min(delayMs, account.answerLimitMs));
    if (delayMs > account.answerLimitMs) return unknown("The gateway did not answer in time.");
    return distort(done.answer, script);
  } catch (error) {
    log.error({ err: error, connection: connection.id, verb }, "the simulator could not be asked");
    return unknown("The gateway could not be reached.");
  }
}

function delayOf(script: rows.Script | undefined, answersAfterMs: number): number {
  if (script?.effect === "hang") return Number.POSITIVE_INFINITY;
  return answersAfterMs + (script?.effect === "late" ? script.delayMs : 0);
}

function distort<T extends { kind: string }>(answer: T, script: rows.Script | undefined): T {
  if (answer.kind !== "succeeded" || !("amount" in answer) || !("currency" in answer))
    return answer;
  if (script?.effect === "wrong_amount") return { ...answer, amount: Number(answer.amount) + 1 };
  if (script?.effect === "wrong_currency")
    return { ...answer, currency: answer.currency === "XAF" ? "XOF" : "XAF" };
  return answer;
}

const pageUrl = (page: string | null) => `${env.BASE_URL}/simulator/${page}`;

async function begin(
  connection: Connection,
  verb: "begin" | "save",
  request: Parameters<typeof bank.openPage>[1],
): Promise<BeginAnswer> {
  return call<BeginAnswer>(connection, verb, request.reference, async () => {
    const opened = await bank.openPage(connection, request);
    if (opened.kind === "refused") return { answer: opened };
    return {
      answer: { kind: "redirect", gatewayId: opened.value.id, url: pageUrl(opened.value.page) },
    };
  });
}

async function methodOf(session: sessionRows.Session): Promise<SavedMethod> {
  const method =
    session.methodId === null
      ? undefined
      : await rows.getMethod(session.connectionId, session.methodId);
  if (!method) throw new Error("a saved simulator session has no method");
  return { id: method.id, card: { brand: method.brand, last4: method.last4, exp: method.exp } };
}

/** A finished or pending attempt as an answer; undefined for states only a hosted page can be in. */
export function settledAnswer(session: sessionRows.Session): ChargeAnswer | undefined {
  const gatewayId = session.id;
  if (session.state === "pending") return { kind: "pending", gatewayId };
  if (session.state === "failed" && session.decline)
    return { kind: "failed", gatewayId, decline: session.decline, reason: session.reason ?? "" };
  if (session.state === "succeeded" && session.amount !== null && session.currency !== null) {
    return {
      kind: "succeeded",
      gatewayId,
      amount: session.amount,
      currency: session.currency,
      fee: feeFor(session.amount),
      paidWith: "card",
    };
  }
  return undefined;
}

export async function foundAnswer(session: sessionRows.Session): Promise<FindAnswer> {
  const settled = settledAnswer(session);
  if (settled) return settled;
  const gatewayId = session.id;
  if (session.state === "saved")
    return { kind: "saved", gatewayId, method: await methodOf(session) };
  if (session.state === "open") return { kind: "open", gatewayId, url: pageUrl(session.page) };
  return { kind: "cancelled", gatewayId };
}

function refundAnswer({
  id: refundId,
  refusedBecause,
  settlesAt,
  amount,
  currency,
}: Refund): RefundAnswer {
  if (refusedBecause !== null) return { kind: "failed", reason: refusedBecause };
  return settlesAt === null
    ? { kind: "succeeded", refundId, amount, currency }
    : { kind: "pending", refundId };
}

function refundState({ key, refund }: KeyedRefund): RefundState {
  const { id: refundId, refusedBecause: reason, settlesAt, amount, currency } = refund;
  const taken = settlesAt === null ? "succeeded" : "pending";
  const status = reason === null ? taken : "failed";
  return { refundId, key, status, reason, amount, currency };
}

const callbackBody = z.strictObject({
  id: z.string().min(1).max(64),
  type: z.string().min(1).max(64),
  reference: z.string().min(1).max(255),
});

function parseCallback(raw: Uint8Array): Callback | null {
  try {
    const body = callbackBody.safeParse(
      JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(raw)),
    );
    return body.success
      ? {
          eventId: body.data.id,
          type: body.data.type,
          about: body.data.type.startsWith("refund.") ? "refund" : "payment",
          reference: body.data.reference,
        }
      : null;
  } catch {
    return null;
  }
}

/** The gateway of test mode: an outside party with its own books and hosted page, moving no money. */
export const simulatorGateway: Gateway & { listSince: NonNullable<Gateway["listSince"]> } = {
  name: "simulator",
  title: "Simulator",
  builtIn: true,
  accountField: null,
  get origins() {
    return [new URL(env.BASE_URL).origin];
  },
  lookUpsPerMinute: Infinity,
  limitsByAddress: false,
  savesMethods: true,
  chargeIsIdempotent: true,
  refundIsIdempotent: true,
  provesAbsence: true,
  prepare: null,
  minimums: {},
  registerCallbacks: null,
  findMethod: null,
  attemptOfMethod: null,
  validateKey: () => null,
  validateCallbackSecret: () => null,
  checkKey: async () => ({ kind: "refused", reason: "The simulator needs no key." }),
  offers: async () => ({ kind: "offers", methods: [{ method: "card", options: [] }] }),
  beginPayment: (connection: Connection, payment: BeginPayment) =>
    begin(connection, "begin", { ...payment, kind: "pay" }),
  saveMethod: (connection: Connection, request: SaveMethod) =>
    begin(connection, "save", { ...request, kind: "save" }),

  charge: (connection, charge) =>
    call<ChargeAnswer>(connection, "charge", charge.reference, async (account) => {
      const done = await bank.chargeMethod(connection, account, charge);
      // A refused request says nothing about the earlier attempt with the key or reference.
      if (done.kind === "refused") return { answer: unknown(done.reason) };
      const answer =
        settledAnswer(done.value.session) ?? unknown("The attempt is of another kind.");
      return { answer, answersAfterMs: done.value.answersAfterMs };
    }),

  forgetCustomer: (connection, methodId) =>
    call<ForgetAnswer>(connection, "forget", methodId, async () => {
      await rows.forgetMethod(connection.id, methodId);
      return { answer: { kind: "forgotten" } };
    }),

  cancel: (connection, reference) =>
    call<CancelAnswer>(connection, "cancel", reference, async () => {
      const closed = await bank.closePage(connection, reference);
      if (closed === undefined) return { answer: unknown("There is no such attempt.") };
      return { answer: closed ? { kind: "cancelled" } : { kind: "too_late" } };
    }),

  find: (connection, reference) =>
    call<FindAnswer>(connection, "find", reference, async () => {
      if (await sessionRows.useHiddenLook(connection.id, reference))
        return { answer: unknown("The gateway did not answer in time.") };
      const session = await bank.lookUp(connection, reference);
      return { answer: session ? await foundAnswer(session) : { kind: "nothing" } };
    }),

  listSince: async (connection, since, cursor) => {
    const { sessions, next } = await sessionRows.listPaidSince(connection.id, since, cursor);
    const payments = sessions.map(({ id, state, ...session }) => ({
      reference: referenceIn(session.reference),
      gatewayId: id,
      linkId: session.linkId,
      subscriptionId: session.subscriptionId,
      tokenizationId: session.tokenizationId,
      title: session.title,
      ownReference: session.ownReference,
      pending: state === "pending",
    }));
    // Its books are in the same database: a refund that a backup lacks was never made.
    return { kind: "page", payments, returns: [], next };
  },

  refundSupport: async () => ({ kind: "supported" }),
  refund: (connection, refund) =>
    call<RefundAnswer>(connection, "refund", refund.reference, async (account, script) => {
      const scripted = {
        ...(script?.effect === "decline" ? { declined: "The bank refused the refund." } : {}),
        ...(script?.effect === "pending" ? { pendingMs: account.approveAfterMs } : {}),
      };
      const done = await bank.giveBack(connection, refund, scripted);
      return { answer: done.kind === "refused" ? unknown(done.reason) : refundAnswer(done.value) };
    }),

  findRefund: (connection, { key, reference }) =>
    call<FindRefundAnswer>(connection, "find", reference, async () => {
      const found = await refundByKey(connection.id, key, reference);
      return { answer: found ? refundAnswer(found) : { kind: "nothing" } };
    }),

  // Nothing happens at the simulator that was not asked for from here: each refund has its key, and there are no disputes.
  refundsAndDisputes: (connection, reference) =>
    call<RefundsAndDisputes>(connection, "find", reference, async () => {
      const refunds = (await keyedRefunds(connection.id, reference)).map(refundState);
      return { answer: { kind: "found", refunds, dispute: null, movements: [] } };
    }),
  validateAmount: () => null,
  settleNow: ({ id }, reference) => settleAtOnce(id, reference),

  callbackReply: "",
  async verifyCallback(connection, raw, headers) {
    return verify(connection.secret, raw, headers.get(signatureHeader), Date.now())
      ? parseCallback(raw)
      : null;
  },
};
