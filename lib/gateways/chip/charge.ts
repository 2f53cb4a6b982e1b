import type { Charge, ChargeAnswer, Connection, DeclineKind, FindAnswer } from "../gateway";
import { declined, lastTry, purchaseAnswer, strangeness } from "./answers";
import { call, type Trouble, unknown } from "./client";
import { cancelPurchase, getPurchase } from "./purchases";
import { Id, Purchase } from "./shapes";

const refused = (reason: string, decline: DeclineKind): ChargeAnswer => ({
  kind: "failed",
  gatewayId: "",
  decline,
  reason,
});

/**
 * Pays the prepared purchase with a saved card. CHIP knows no keys, but a purchase is paid once: a repeat pays the same purchase, or reads what became
 * of it. The purchase is read first, so that nothing else than what was asked for is ever charged.
 */
export async function charge(connection: Connection, asked: Charge): Promise<ChargeAnswer> {
  const { gatewayId, methodId } = asked;
  if (!gatewayId || !Id.safeParse(gatewayId).success)
    return unknown("Nothing was prepared for this charge.");
  const before = await getPurchase(connection, gatewayId);
  if (!before.ok) return unknown(before.trouble.reason);
  const { reference, purchase } = before.value;
  if (
    reference !== asked.reference ||
    purchase.total !== asked.amount ||
    purchase.currency !== asked.currency ||
    strangeness(connection, before.value) !== null
  )
    return unknown("What was prepared at CHIP is not this charge.");
  const known = outcomeOf(purchaseAnswer(before.value));
  if (known) return known;
  if (lastTry(before.value)) return closeDeclined(connection, before.value);
  if (!Id.safeParse(methodId).success) return refused("No such card is saved at CHIP.", "hard");
  const result = await call(
    connection,
    "charging at CHIP",
    {
      method: "POST",
      path: `/purchases/${gatewayId}/charge/`,
      body: { recurring_token: methodId },
    },
    Purchase,
  );
  if (result.ok)
    return outcomeOf(purchaseAnswer(result.value)) ?? unknown("CHIP did not charge the purchase.");
  return afterTrouble(connection, gatewayId, result.trouble);
}

/** The outcome of a charge; undefined while nothing was charged. */
function outcomeOf(answer: FindAnswer): ChargeAnswer | undefined {
  switch (answer.kind) {
    case "prepared":
      return undefined;
    case "succeeded":
    case "failed":
    case "pending":
    case "unknown":
      return answer;
    default:
      return unknown("What was prepared at CHIP was closed before it was charged.");
  }
}

/** A refusal may be about a card, or about another request that pays the same purchase now. The purchase says which. */
async function afterTrouble(
  connection: Connection,
  id: string,
  { kind, reason, code, fields }: Trouble,
): Promise<ChargeAnswer> {
  if (kind !== "refused" && kind !== "missing") return unknown(reason);
  const after = await getPurchase(connection, id);
  if (!after.ok) return unknown(after.trouble.reason);
  const known = outcomeOf(purchaseAnswer(after.value));
  if (known) return known;
  if (lastTry(after.value) || code === "purchase_charge_error")
    return closeDeclined(connection, after.value, reason);
  const isAboutCard = fields.includes("recurring_token") || /token/.test(code ?? "");
  return (await isClosed(connection, id))
    ? refused(reason, isAboutCard ? "hard" : "soft")
    : unknown(reason);
}

/**
 * CHIP leaves a declined purchase open for another try. It is closed before it counts as failed, so that a delayed request cannot pay it. `refusal`: why
 * CHIP refused the charge just now; it counts where CHIP shows no try.
 */
export async function closeDeclined(
  connection: Connection,
  { id }: Purchase,
  refusal?: string,
): Promise<ChargeAnswer> {
  const closed = await cancelPurchase(connection, id);
  const after = closed.ok ? closed : await getPurchase(connection, id);
  if (!after.ok) return unknown(after.trouble.reason);
  const tried = lastTry(after.value);
  const isCancelled = after.value.status === "cancelled";
  if (isCancelled && tried && !tried.successful) return declined(id, tried);
  if (isCancelled && !tried && refusal !== undefined)
    return { kind: "failed", gatewayId: id, decline: "soft", reason: refusal };
  return (
    outcomeOf(purchaseAnswer(after.value)) ??
    unknown("CHIP declined the charge, and its purchase could not be closed.")
  );
}

async function isClosed(connection: Connection, id: string): Promise<boolean> {
  const closed = await cancelPurchase(connection, id);
  return closed.ok && closed.value.status === "cancelled";
}
