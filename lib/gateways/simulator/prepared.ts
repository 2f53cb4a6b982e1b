import { db, withTransaction } from "@/db/client";
import { newId } from "@/lib/kernel/ids";
import type { CancelAnswer, Charge, ChargeAnswer, Connection, FindAnswer } from "../gateway";
import type { PrepareAnswer } from "../gateway";
import { call, foundAnswer, settledAnswer, unknown } from "./adapter";
import { notify, writeJournal } from "./bank";
import * as rows from "./rows";
import { planCharge, referenceIn, uniqueReference } from "./rules";
import * as sessionRows from "./session-rows";

// Charges in two steps, as at gateways without idempotency keys. Each `prepare` makes another session; a session is paid once.

export const prepare = (connection: Connection, charge: Charge): Promise<PrepareAnswer> =>
  call<PrepareAnswer>(connection, "begin", charge.reference, async () => {
    const { amount, currency, title, reference } = charge;
    const id = newId();
    await withTransaction((tx) =>
      sessionRows.insertSession(tx, {
        connectionId: connection.id,
        id,
        kind: "charge",
        state: "open",
        // One attempt may be prepared twice.
        reference: uniqueReference(reference, id),
        amount,
        currency,
        title,
        subscriptionId: charge.subscriptionId,
        tokenizationId: charge.tokenizationId,
        ownReference: charge.ownReference,
      }),
    );
    return { answer: { kind: "prepared", gatewayId: id } };
  });

export const charge = (connection: Connection, asked: Charge): Promise<ChargeAnswer> =>
  call<ChargeAnswer>(connection, "charge", asked.reference, async (account) => {
    const done = await withTransaction(async (tx) => {
      const session = await sessionRows.lockSession(tx, connection.id, asked.gatewayId ?? "");
      if (session?.amount !== asked.amount || session.currency !== asked.currency)
        return { session: undefined, answersAfterMs: 0 };
      if (session.state !== "open") return { session, answersAfterMs: 0 };
      const method = await rows.lockMethod(tx, connection.id, asked.methodId);
      const { decline, state, silent, usesDecline, answersAfterMs } = planCharge(method);
      const finished = await sessionRows.finishSession(tx, session, {
        state: decline ? "failed" : state,
        decline: decline?.decline ?? null,
        reason: decline?.reason ?? null,
        methodId: method?.id ?? null,
        settlesInMs: state === "pending" ? account.approveAfterMs : undefined,
      });
      if (usesDecline) await rows.useMethodDecline(tx, connection.id, asked.methodId);
      await writeJournal(tx, [finished]);
      if (!silent) await notify(tx, finished);
      return { session: finished, answersAfterMs };
    });
    const answer = done.session && settledAnswer(done.session);
    return {
      answer: answer ?? unknown("There is no such prepared charge."),
      answersAfterMs: done.answersAfterMs,
    };
  });

/** The prepared charge with this id and reference; undefined when it does not exist. */
export const findPrepared = (
  connection: Connection,
  reference: string,
  id: string,
): Promise<FindAnswer | undefined> =>
  sessionRows.getSession(db, connection.id, id).then((session) => {
    if (session?.kind !== "charge" || referenceIn(session.reference) !== reference)
      return undefined;
    return session.state === "open" ? { kind: "prepared", gatewayId: id } : foundAnswer(session);
  });

/** Cancels a prepared charge, so that it can no longer be paid; undefined when it does not exist. */
export const cancelPrepared = (
  connection: Connection,
  reference: string,
  id: string,
): Promise<CancelAnswer | undefined> =>
  withTransaction(async (tx) => {
    const session = await sessionRows.lockSession(tx, connection.id, id);
    if (session?.kind !== "charge" || referenceIn(session.reference) !== reference)
      return undefined;
    if (session.state === "open")
      await sessionRows.finishSession(tx, session, { state: "cancelled" });
    return session.state === "open" || session.state === "cancelled"
      ? { kind: "cancelled" }
      : { kind: "too_late" };
  });
