import type { Connection, Hint } from "../gateway";
import { type Looked, lookUpByIds } from "../known-ids";
import { type BillplzResult, call } from "./client";
import { Bill, Id, Nothing, Transactions } from "./shapes";

export const getBill = (connection: Connection, id: string): Promise<BillplzResult<Bill>> =>
  call(connection, "reading a bill at Billplz", { method: "GET", path: `/v3/bills/${id}` }, Bill);

/** Deletes a bill that is due. Where a bank is already at work, it may still be paid. */
export const deleteBill = (connection: Connection, id: string) =>
  call(
    connection,
    "deleting a bill at Billplz",
    { method: "DELETE", path: `/v3/bills/${id}` },
    Nothing,
  );

const transactionsOf = (connection: Connection, id: string, query: string) =>
  call(
    connection,
    "reading a bill's transactions at Billplz",
    { method: "GET", path: `/v3/bills/${id}/transactions${query}` },
    Transactions,
  );

/** Billplz lists so many transactions at once. */
const MAX_LISTED = 15;

/** The payer's tries to pay a bill that is not paid: one is at a bank or has just gone through, or all failed. Null before the first. */
export async function triesOf(
  connection: Connection,
  id: string,
): Promise<BillplzResult<"pending" | "failed" | null>> {
  const all = await transactionsOf(connection, id, "");
  if (!all.ok) return all;
  const { transactions } = all.value;
  if (transactions.some(({ status }) => status !== "failed")) return { ok: true, value: "pending" };
  if (transactions.length >= MAX_LISTED) {
    const pending = await transactionOf(connection, id, "pending");
    if (!pending.ok) return pending;
    if (pending.value) return { ok: true, value: "pending" };
  }
  return { ok: true, value: transactions.length > 0 ? "failed" : null };
}

/** The newest transaction of a bill in a state; null when it has none. */
export async function transactionOf(
  connection: Connection,
  id: string,
  status: "pending" | "completed",
): Promise<BillplzResult<{ channel: string | null } | null>> {
  const result = await transactionsOf(connection, id, `?status=${status}`);
  if (!result.ok) return result;
  const found = result.value.transactions.find((one) => one.status === status);
  return { ok: true, value: found ? { channel: found.payment_channel ?? null } : null };
}

/** Why a bill is not the one that was asked for, as a sentence; null when it is. */
export function strangeness(
  { account }: Pick<Connection, "account">,
  reference: string,
  bill: Bill,
): string | null {
  if (bill.collection_id !== account) return "Billplz speaks of another collection.";
  return bill.reference_2 === reference ? null : "Billplz kept another reference.";
}

/** The bill of an attempt, by the ids that we know. Another attempt's bill or collection is not taken for it. */
export const lookUp = (
  connection: Connection,
  reference: string,
  hint?: Hint,
): Promise<Looked<Bill>> =>
  lookUpByIds(
    hint,
    (id) => Id.safeParse(id).success,
    (id) => getBill(connection, id),
    (bill, id) => bill.id === id && strangeness(connection, reference, bill) === null,
  );
