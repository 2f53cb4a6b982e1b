import { transactionOverEach } from "@/db/sets";
import type { Ctx } from "@/lib/domain/context";
import type { PeriodRow } from "@/lib/domain/subscriptions/period-rows";
import type { FindAnswer } from "@/lib/gateways/gateway";
import { type Next, settleCharge } from "./apply";

/** Sends a charge of a period and returns what remains to be done once its outcome is committed. */
export type Booking = (
  claimed: PeriodRow,
  paymentId: string,
  send: () => Promise<FindAnswer>,
) => Promise<Next>;

type Answered = {
  claimed: PeriodRow;
  paymentId: string;
  answer: FindAnswer;
  resolve: (next: Next) => void;
  reject: (error: unknown) => void;
};

/** How long an answer waits for others, to be booked in one transaction with them. */
const GATHER_MS = 200;

/** Books the outcomes of charges that are sent at the same time: once all are answered, or soon after the first answer. One that cannot be booked fails alone. */
export function createBooking(ctx: Ctx): Booking {
  let sent = 0;
  let answered: Answered[] = [];
  let timer: NodeJS.Timeout | undefined;

  const book = async (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    const taken = answered;
    answered = [];
    if (taken.length === 0) return;
    const ends = await transactionOverEach(taken, (tx, { claimed, paymentId, answer }) =>
      settleCharge(ctx, tx, claimed, paymentId, answer),
    );
    for (const [at, { resolve, reject }] of taken.entries()) {
      const end = ends[at];
      if (end?.status === "fulfilled") resolve(end.value);
      else reject(end?.reason);
    }
  };

  return async (claimed, paymentId, send) => {
    sent++;
    let answer: FindAnswer;
    try {
      answer = await send();
    } catch (error) {
      if (--sent === 0) void book();
      throw error;
    }
    return new Promise<Next>((resolve, reject) => {
      answered.push({ claimed, paymentId, answer, resolve, reject });
      // Counted with its answer in hand: of several that come at once only the last one is the last.
      if (--sent === 0) void book();
      else timer ??= setTimeout(() => void book(), GATHER_MS);
    });
  };
}
