import { dayOnly } from "@/lib/client/times";
import type { Package } from "@/lib/contract/packages";
import type { PeriodLink, Subscription } from "@/lib/contract/subscriptions";
import { displayAmount } from "@/lib/kernel/money";
import type * as z from "zod";

export type Period = z.output<typeof PeriodLink>;

type Meaning = string | { saved: string; none: string };

const meanings: Record<Subscription["status"], Meaning> = {
  created: "Nothing has been paid yet. It becomes active with the first paid period.",
  active: {
    saved: "The last period is paid. The next one is charged automatically.",
    none: "The last period is paid.",
  },
  past_due: {
    saved:
      "A period is not paid. The saved method is tried again on the days set in Settings. The period also has a payment link; paying it makes the subscription active.",
    none: "A period is not paid. It has a payment link; paying it makes the subscription active.",
  },
  halted:
    "A period stayed unpaid after the last try, the card was refused for good, or staff resolved a payment that was never confirmed. No new period begins. Paying the open link, or saving a new method, brings it back.",
  cancel:
    "It has ended. Nothing is charged any more, and it cannot be started again; subscribe them anew instead.",
};

/** What a subscription's state means, in plain words; `saved` where a saved method is charged. */
export function meaningOf({ status }: Pick<Subscription, "status">, saved: boolean): string {
  const meaning = meanings[status];
  return typeof meaning === "string" ? meaning : meaning[saved ? "saved" : "none"];
}

/** "1 Jan 2027 to 31 Jan 2027". */
export const periodOf = ({ period_start: start, period_end: end }: Period): string =>
  start && end ? `${dayOnly(start)} to ${dayOnly(end)}` : "–";

/** The period links that can still be paid. */
export const openPeriods = ({ payment_links }: Subscription): Period[] =>
  payment_links.filter(({ status }) => status === "Active" || status === "Processing");

/** Says that ending a subscription does not stop a payment without an outcome, of its link or of a period that has none yet. Empty without one. */
export function paymentUnderWay(subscription: Subscription): string[] {
  const { status, next_charge_at: next, package: pack } = subscription;
  const open = openPeriods(subscription);
  const isUnderWay =
    open.some((link) => link.status === "Processing") ||
    (status !== "cancel" && next === null && open.length === 0);
  return isUnderWay
    ? [
        `A payment of ${displayAmount(pack.amount, pack.currency)} is under way. It is not stopped, and may still arrive.`,
      ]
    : [];
}

/** What cancelling will do to this very subscription, one sentence each, with days in a zone; `unsent`: why its payer gets no mail. */
export function cancelEffects(
  subscription: Subscription,
  timeZone: string,
  unsent?: string,
): string[] {
  const { email, next_charge_at: next, package: pack } = subscription;
  const amount = displayAmount(pack.amount, pack.currency);
  const unpaid = openPeriods(subscription).filter(({ status }) => status === "Active");
  return [
    ...paymentUnderWay(subscription),
    next
      ? `The charge of ${amount} planned for ${dayOnly(next, timeZone)} does not happen, nor any after it.`
      : "No further period is charged.",
    ...(unpaid.length > 0
      ? [`The unpaid link of ${unpaid.map(periodOf).join(" and ")} can no longer be paid.`]
      : []),
    "Past payments stay paid. Nothing is refunded.",
    unsent ?? `${email} gets an e-mail.`,
  ];
}

/** What another address does to the saved methods and the unpaid link of a subscription. */
export const addressHint = (subscription: Subscription): string =>
  [
    subscription.tokenization_id
      ? "With another address the payment method that is saved now is no longer charged."
      : "Only a payment method that is saved under this address from now on is charged.",
    ...(openPeriods(subscription).length > 0 ? ["The unpaid link moves to the new address."] : []),
  ].join(" ");

/** That a period without a saved method has a payment link, and what becomes of the link; `unsent`: why it is not mailed. */
export const periodLink = (unsent?: string): string =>
  unsent
    ? `each period has a payment link, for you to share. ${unsent}`
    : "a payment link is mailed for each period.";

/** How a new subscriber pays; `card` is the saved method, null without one, undefined where that is not known. */
export const chargeHint = (card: string | null | undefined, unsent?: string): string =>
  card
    ? `Each period is charged to ${card}, which this payer has saved.`
    : card === null
      ? `This payer has saved no payment method: ${periodLink(unsent)}`
      : `A payment method that this payer has saved is charged. Without one, ${periodLink(unsent)}`;

/** How a package's next charge would go for a payer who subscribes on a day (YYYY-MM-DD in the business's zone). */
export const firstDay = (pack: Package, today: string): string =>
  pack.date_charge_start > today ? pack.date_charge_start : today;
