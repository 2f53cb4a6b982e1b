import { db } from "@/db/client";
import { newId } from "@/lib/kernel/ids";
import type { Connection } from "../gateway";
import { accountOf } from "./bank";
import { hurryRefunds } from "./refunds/rows";
import * as callbackRows from "./callback-rows";
import * as rows from "./rows";
import * as sessionRows from "./session-rows";
import { type Behaviour, cardFor } from "./rules";

/** How tests and demonstrations steer the simulator. All of it is kept in its tables, so it works from another process. */

/** Saves a method without a hosted page; its id is what `charge` takes. */
export async function saveScriptedMethod(
  connection: Connection,
  behaviour: Behaviour = "works",
  declinesLeft = 0,
): Promise<string> {
  await accountOf(connection);
  const id = newId();
  await rows.insertMethod(db, {
    connectionId: connection.id,
    id,
    ...cardFor(behaviour, new Date()),
    behaviour,
    declinesLeft,
  });
  return id;
}

/** How a saved method behaves from now on; throws for an unknown one. `declines`: soft declines to come; `lateMs`: how slow `late` is. */
export async function setMethodBehaviour(
  connectionId: string,
  methodId: string,
  behaviour: Behaviour,
  { declines = 1, lateMs = 2_000 }: { declines?: number; lateMs?: number } = {},
): Promise<void> {
  const declinesLeft = behaviour === "declines" ? declines : 0;
  if (!(await rows.updateMethod(connectionId, methodId, { behaviour, declinesLeft, lateMs })))
    throw new Error("the simulator has no such method");
}

/**
 * The next `times` calls of `verb` (for one reference, or any) do `effect`. `error`: 5xx, nothing done. `reset`: done, the line breaks.
 * `hang`: done, no answer in time. `late`: done, answered after `delayMs`. `wrong_amount`, `wrong_currency`: a success is answered with wrong money.
 * For `refund`: `decline` refuses it, `pending` lets it go through later. For `callback`: `drop` never sends it, `late` sends it after `delayMs`.
 */
export async function script(
  connectionId: string,
  verb: rows.Script["verb"],
  effect: rows.Script["effect"],
  {
    reference,
    times = 1,
    delayMs = 0,
  }: { reference?: string; times?: number; delayMs?: number } = {},
): Promise<void> {
  await rows.insertScript({
    connectionId,
    id: newId(),
    verb,
    effect,
    reference,
    remaining: times,
    delayMs,
  });
}

/** `answerLimitMs`: how long a caller waits before the answer is `unknown` (10,000). `approveAfterMs`: how long pending lasts (3,000). */
export async function setTimes(
  connection: Connection,
  times: { answerLimitMs?: number; approveAfterMs?: number },
): Promise<void> {
  await accountOf(connection);
  await rows.setAccountTimes(connection.id, times);
}

/** Makes the callbacks of a reference due again, delivered or not; the answer is how many. */
export async function resendCallbacks(connectionId: string, reference: string): Promise<number> {
  return callbackRows.resetCallbacks(connectionId, reference);
}

/** Makes what a connection waits for due now: pending payments, refunds and callbacks. `tick` then does it. */
export async function hurry(connectionId: string): Promise<void> {
  await sessionRows.hurry(connectionId);
  await hurryRefunds(connectionId);
}

/** The journal, oldest first: what truly happened to money at this gateway. */
export async function journalOf(
  connectionId: string,
  reference?: string,
): Promise<rows.JournalEntry[]> {
  return rows.listJournal(connectionId, reference);
}
