import type {
  AttemptRef,
  RefundsAndDisputes,
  Connection,
  FindRefundAnswer,
  Hint,
  RefundAnswer,
  RefundRequest,
  RefundState,
  Unknown,
} from "../gateway";
import { refundAnswer, unknown, unknownBy } from "./answers";
import { call } from "./client";
import { decisive, disputesOf, movementsOf } from "./disputes";
import { lookUp } from "./lookup";
import { fromStripe, toStripe } from "./money";
import { attemptKey, pageOf, type PaymentIntent, Refund, refundKey } from "./shapes";

/** The payment behind an attempt; null when none was made. */
async function intentOf(
  connection: Connection,
  { reference, hint }: AttemptRef,
): Promise<{ intent: PaymentIntent | null } | Unknown> {
  const looked = await lookUp(connection, reference, hint);
  if (looked.kind === "unsure") return unknown(looked.reason);
  if (looked.kind === "nothing") return { intent: null };
  if ("intent" in looked.found) return { intent: looked.found.intent };
  const { payment_intent } = looked.found.session;
  if (typeof payment_intent === "string")
    return unknown("Stripe did not say what became of the payment.");
  return { intent: payment_intent ?? null };
}

async function refundsOf(
  connection: Connection,
  intentId: string,
): Promise<{ refunds: Refund[] } | Unknown> {
  const refunds: Refund[] = [];
  for (let pages = 0; pages < 30; pages++) {
    const result = await call(connection, "Stripe's refunds", pageOf(Refund), (stripe) =>
      stripe.refunds.list({
        payment_intent: intentId,
        limit: 100,
        ...(pages > 0 ? { starting_after: refunds.at(-1)?.id ?? "" } : {}),
      }),
    );
    if (!result.ok) return unknownBy(result.trouble);
    refunds.push(...result.value.data);
    if (!result.value.has_more) return { refunds };
  }
  return unknown("Stripe's list is too long to be walked to its end.");
}

/**
 * Gives money back under the refund's own key. Some ways to pay (PromptPay, Konbini) take no money back: Stripe then asks the payer, at the address
 * that is given here, where the money goes.
 */
export async function refund(connection: Connection, asked: RefundRequest): Promise<RefundAnswer> {
  const of = await intentOf(connection, asked);
  if ("kind" in of) return of;
  if (!of.intent) return { kind: "failed", reason: "Stripe has no such payment." };
  if (of.intent.status !== "succeeded")
    return { kind: "failed", reason: "This payment was not taken." };
  if (fromStripe(of.intent.amount_received, of.intent.currency)?.currency !== asked.currency)
    return { kind: "failed", reason: "The payment is in another currency." };
  const amount = toStripe(asked);
  if (!amount) return { kind: "failed", reason: "Stripe has no such amount in this currency." };
  const intent = of.intent.id;
  const charge = of.intent.latest_charge;
  const isCard = typeof charge === "object" && charge?.payment_method_details?.type === "card";
  const result = await call(connection, "refunding at Stripe", Refund, (stripe) =>
    stripe.refunds.create(
      {
        payment_intent: intent,
        amount: amount.amount,
        metadata: { [refundKey]: asked.key, [attemptKey]: asked.reference },
        ...(asked.payerEmail && !isCard ? { instructions_email: asked.payerEmail } : {}),
      },
      { idempotencyKey: asked.key },
    ),
  );
  if (result.ok) return refundAnswer(result.value);
  const { kind, reason } = result.trouble;
  if (kind === "misused") {
    // The payer has another address than when the key was used first.
    const listed = await refundsOf(connection, intent);
    const made = "refunds" in listed ? withKey(listed.refunds, asked.key) : undefined;
    return made?.amount === amount.amount ? refundAnswer(made) : unknownBy(result.trouble);
  }
  if (kind !== "refused" && kind !== "missing") return unknownBy(result.trouble);
  // Refused because it has been given back already, perhaps by an answer that was lost.
  const earlier = await findRefund(connection, asked);
  return earlier.kind === "nothing" ? { kind: "failed", reason } : earlier;
}

const withKey = (refunds: readonly Refund[], key: string): Refund | undefined =>
  refunds.find(({ metadata }) => metadata?.[refundKey] === key);

export async function findRefund(
  connection: Connection,
  asked: AttemptRef & { key: string },
): Promise<FindRefundAnswer> {
  const of = await intentOf(connection, asked);
  if ("kind" in of) return of;
  if (!of.intent) return { kind: "nothing" };
  const listed = await refundsOf(connection, of.intent.id);
  if ("kind" in listed) return listed;
  const found = withKey(listed.refunds, asked.key);
  return found ? refundAnswer(found) : { kind: "nothing" };
}

/** Everything that went back or is disputed, also what was done in Stripe's own dashboard. */
export async function refundsAndDisputes(
  connection: Connection,
  reference: string,
  hint?: Hint,
): Promise<RefundsAndDisputes | Unknown> {
  const of = await intentOf(connection, { reference, ...(hint ? { hint } : {}) });
  if ("kind" in of) return of;
  if (!of.intent) return { kind: "found", refunds: [], dispute: null, movements: [] };
  const { id: intent, currency } = of.intent;
  const listed = await refundsOf(connection, intent);
  if ("kind" in listed) return listed;
  const disputes = await disputesOf(connection, intent);
  if ("kind" in disputes) return disputes;
  const refunds: RefundState[] = [];
  for (const refund of listed.refunds) {
    const money = fromStripe(refund.amount, refund.currency);
    if (!money) return unknown("Stripe speaks of an amount that does not exist.");
    const answer = refundAnswer(refund);
    refunds.push({
      refundId: refund.id,
      key: refund.metadata?.[refundKey] ?? null,
      status: answer.kind === "unknown" ? "pending" : answer.kind,
      reason: answer.kind === "failed" ? answer.reason : null,
      ...money,
    });
  }
  return {
    kind: "found",
    refunds,
    dispute: decisive(disputes),
    movements: movementsOf(disputes, currency),
  };
}
