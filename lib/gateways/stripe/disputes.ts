import type { RefundsAndDisputes, Connection, Money, Movement } from "../gateway";
import { type unknown, unknownBy } from "./answers";
import { call } from "./client";
import { fromStripe } from "./money";
import { Dispute, pageOf } from "./shapes";

/** Every dispute of a payment; a payment has a handful at most. */
export async function disputesOf(
  connection: Connection,
  intent: string,
): Promise<Dispute[] | ReturnType<typeof unknown>> {
  const result = await call(connection, "Stripe's disputes", pageOf(Dispute), (stripe) =>
    stripe.disputes.list({ payment_intent: intent, limit: 100 }),
  );
  return result.ok ? result.value.data : unknownBy(result.trouble);
}

const settled = new Set(["won", "warning_closed", "prevented", "charge_refunded"]);
const standing = (status: string) =>
  settled.has(status)
    ? ("won" as const)
    : status === "lost"
      ? ("lost" as const)
      : ("open" as const);
const weight = { open: 0, lost: 1, won: 2 };

/** The dispute that decides the payment's status. An inquiry (`warning_…`) has moved no money. */
export function decisive(disputes: readonly Dispute[]): RefundsAndDisputes["dispute"] {
  const [first, ...others] = disputes
    .filter(({ status }) => !status.startsWith("warning_"))
    .map(({ id, status, reason, created }) => ({ id, status: standing(status), reason, created }))
    .sort((a, b) => weight[a.status] - weight[b.status] || b.created - a.created);
  if (!first) return null;
  const { id, status, reason } = first;
  const anotherIsOver = status === "open" && others.some((other) => other.status !== "open");
  return { id, status, reason, ...(anotherIsOver ? { anotherIsOver } : {}) };
}

/** What disputes have moved, oldest first, a withdrawal before the return of the same second. `currency` is the payment's. */
export function movementsOf(disputes: readonly Dispute[], currency: string): Movement[] {
  return disputes
    .flatMap((dispute) => dispute.balance_transactions.map((moved) => ({ dispute, moved })))
    .sort((a, b) => a.moved.created - b.moved.created || a.moved.amount - b.moved.amount)
    .map(({ dispute, moved }) => ({
      id: moved.id,
      money: takenBy(dispute, moved, currency),
      fee: fromStripe(moved.fee, moved.currency),
      stated: `${-moved.amount} ${moved.currency.toUpperCase()}`,
    }));
}

type Moved = Dispute["balance_transactions"][number];

/** In the payment's currency: as it was moved, or as it is disputed where the account is kept in another. What came back of that in part cannot be result. */
function takenBy(dispute: Dispute, moved: Moved, currency: string): Money | null {
  if (moved.currency === currency) return fromStripe(-moved.amount, moved.currency);
  const withdrawn = dispute.balance_transactions.find(({ amount }) => amount < 0);
  const inPart = moved.amount > 0 && moved.amount < -(withdrawn?.amount ?? 0) * wholeAtLeast;
  if (dispute.currency !== currency || inPart) return null;
  return fromStripe(-Math.sign(moved.amount) * dispute.amount, dispute.currency);
}

/** Rates move between a withdrawal and its return; by less than this. */
const wholeAtLeast = 0.75;
