import type { Tx } from "@/db/client";
import type { Aftermath, Movement } from "@/lib/gateways/gateway";
import type { Ctx } from "../context";
import { previousOf } from "../events/changes";
import { emit } from "../events/emit";
import { presentPayment } from "./present";
import { statusAfterRefund } from "./refunds/rules";
import { book, postingsOf } from "./posting-rows";
import { changePayment, lockPayment, type PaymentRow } from "./rows";
import { mayBecome } from "./rules";

/** How a payment stands by its disputes, and the money they moved, in one event. Answers what could not be booked, in words. */
export async function recordDisputes(
  ctx: Ctx,
  tx: Tx,
  id: string,
  { dispute, movements }: Pick<Aftermath, "dispute" | "movements">,
): Promise<string[]> {
  const payment = await lockPayment(ctx, tx, id);
  if (!payment) throw new Error("no such payment");
  const { disputedAmount, problems } = await bookMovements(ctx, tx, payment, movements);
  const change = { ...standing(payment, dispute), disputedAmount };
  if (
    change.status === payment.status &&
    change.message === payment.message &&
    disputedAmount === payment.disputedAmount
  )
    return problems;
  const row = await changePayment(ctx, tx, payment, change);
  const data = presentPayment(row);
  await emit(ctx, tx, {
    type: "payment.disputed",
    objectId: id,
    data,
    previous: previousOf(presentPayment(payment), data),
  });
  return problems;
}

/** What a callback says of a dispute and the gateway does not show, as a sentence; null when it shows it, or nothing was said. */
export function unseenOf(
  type: string,
  { dispute, movements }: Pick<Aftermath, "dispute" | "movements">,
): string | null {
  const moved = (sign: number) =>
    movements.some(({ money }) => money === null || Math.sign(money.amount) === sign);
  if (/dispute.*withdrawn/.test(type) && !moved(1))
    return "It speaks of money that a dispute took; the gateway shows none.";
  if (/dispute.*reinstated/.test(type) && !moved(-1))
    return "It speaks of money that came back from a dispute; the gateway shows none.";
  return /dispute.*closed/.test(type) && dispute?.status === "open"
    ? "It speaks of a dispute that is over; at the gateway it is open."
    : null;
}

const words = (reason: string) => reason.replaceAll("_", " ");

/** Nothing told changes nothing: a gateway forgets no dispute, so the answer is older than what is known. */
function standing(
  payment: PaymentRow,
  dispute: Aftermath["dispute"],
): Pick<PaymentRow, "status" | "message"> {
  const { status, message } = payment;
  if (dispute === null || (dispute.status === "won" && status !== "disputed"))
    return { status, message };
  if (dispute.status === "won") {
    return {
      status: statusAfterRefund("succeeded", payment.amount, payment.refundedAmount),
      message: null,
    };
  }
  if (status !== "disputed" && !mayBecome(status, "disputed")) return { status, message };
  const why = words(dispute.reason);
  return {
    status: "disputed",
    message:
      dispute.status === "lost"
        ? `The payer's bank has kept the money (${why}).`
        : `The payer disputes this payment with their bank (${why}).`,
  };
}

type Booked = { disputedAmount: number; problems: string[] };

/** Books each movement once, by the gateway's id of it; never more taken than was paid, nor more returned than was taken. */
async function bookMovements(
  ctx: Ctx,
  tx: Tx,
  payment: PaymentRow,
  movements: readonly Movement[],
): Promise<Booked> {
  let { disputedAmount } = payment;
  const problems: string[] = [];
  const booked =
    movements.length === 0 ? new Set<string>() : await postingsOf(ctx, tx, payment.id, "dispute");
  for (const movement of movements) {
    const { id, money, fee } = movement;
    const [posting, feePosting] = [
      `dispute:${payment.id}:${id}`,
      `dispute_fee:${payment.id}:${id}`,
    ];
    if (booked.has(posting) || booked.has(feePosting)) continue;
    const after = money?.currency === payment.currency ? disputedAmount + money.amount : -1;
    if (money === null || fee === null || after < 0 || after > payment.amount) {
      problems.push(
        `A dispute moved ${movement.said} of payment ${payment.id} (${id}): that does not fit what was paid, and is not booked.`,
      );
      continue;
    }
    if (money.amount !== 0) await bookSides(ctx, tx, payment, posting, "disputes", money.amount);
    if (fee.amount !== 0)
      await bookSides(
        ctx,
        tx,
        { ...payment, currency: fee.currency },
        feePosting,
        "fees",
        fee.amount,
      );
    disputedAmount = after;
  }
  return { disputedAmount, problems };
}

const bookSides = (
  ctx: Ctx,
  tx: Tx,
  payment: PaymentRow,
  posting: string,
  account: "disputes" | "fees",
  amount: number,
) =>
  book(ctx, tx, payment, posting, [
    { kind: "dispute", account, amount },
    { kind: "dispute", account: "gateway", amount: -amount },
  ]);
