import { readableDay, readableTime } from "@/lib/kernel/readable-time";
import { oneLine } from "../one-line";
import { type MailBusiness, type MailFact, type RenderedMail, renderMail } from "./layout";

/** The data of a mail about a subscriber's period. */
export const subscriptionSteps = [
  "payment_due",
  "payment_overdue",
  "payment_failed",
  "payment_unconfirmed",
  "subscription_halted",
  "subscription_cancelled",
] as const;
export type SubscriptionStep = (typeof subscriptionSteps)[number];

export type SubscriptionMailProps = {
  step: SubscriptionStep;
  business: MailBusiness;
  test: boolean;
  /** The package's name. */
  title: string;
  /** From `displayAmount`. */
  amount: string;
  /** Days, `YYYY-MM-DD`; null before the first period. */
  period: { start: string; end: string } | null;
  /** The period link's payment_url; absent when nothing is left to pay. */
  address?: string | null;
  /** ISO 8601 UTC: when the saved method is tried again. */
  retryAt?: string | null;
  /** A payment is under way that the cancellation does not stop. */
  mayStillPay?: boolean;
  /** The business's IANA zone, shown beside UTC. */
  timeZone?: string | null;
};

type Words = { subject: string; heading: string; paragraphs: string[] };

function wordsFor({ step, amount, mayStillPay }: SubscriptionMailProps, name: string): Words {
  switch (step) {
    case "payment_due":
      return {
        subject: `${name}: ${amount} is due`,
        heading: "Your next payment is due",
        paragraphs: [],
      };
    case "payment_overdue":
      return {
        subject: `${name}: ${amount} is overdue`,
        heading: "Your payment is overdue",
        paragraphs: ["We have not received this payment yet."],
      };
    case "payment_failed":
      return {
        subject: `${name}: your payment of ${amount} failed`,
        heading: "Your payment failed",
        paragraphs: ["Your saved payment method could not be charged. You can pay here instead."],
      };
    case "payment_unconfirmed":
      return {
        subject: `${name}: your payment of ${amount} is not confirmed`,
        heading: "Your payment is not confirmed",
        paragraphs: [
          "We could not confirm that your saved payment method paid this amount, and it will not be tried again.",
          `If money was taken, ask ${name} before you pay. Once it is paid, your subscription continues.`,
        ],
      };
    case "subscription_halted":
      return {
        subject: `${name}: your subscription is halted`,
        heading: "Your subscription is halted",
        paragraphs: [
          "Your saved payment method could not be charged and will not be tried again. Once you pay, your subscription continues.",
        ],
      };
    case "subscription_cancelled":
      return {
        subject: `${name}: your subscription is cancelled`,
        heading: "Your subscription is cancelled",
        paragraphs: [
          mayStillPay
            ? "A payment that had already started may still be taken. You will not be charged for it again after that."
            : "You will not be charged for it again.",
        ],
      };
  }
}

/** The mail for a step in a subscription's life, with a link to pay where there is something to pay. */
export function renderSubscriptionMail(props: SubscriptionMailProps): RenderedMail {
  const { step, test, amount, period, retryAt, timeZone } = props;
  const business = { ...props.business, name: oneLine(props.business.name) };
  const title = oneLine(props.title);
  const address = step === "subscription_cancelled" ? null : props.address;
  const words = wordsFor(props, business.name);
  const facts: MailFact[] = [
    ...(period && step !== "subscription_cancelled"
      ? [{ label: "Period", value: `${readableDay(period.start)} to ${readableDay(period.end)}` }]
      : []),
    ...(step === "payment_failed" && retryAt
      ? [{ label: "Next try", value: readableTime(retryAt, timeZone) }]
      : []),
  ];
  return renderMail({
    business,
    test,
    subject: oneLine(`${test ? "[Test] " : ""}${words.subject}`, 150),
    preview: title,
    heading: words.heading,
    amount: step === "subscription_cancelled" ? null : amount,
    title,
    paragraphs: words.paragraphs,
    facts,
    button: address ? { label: `Pay ${amount}`, address, note: "Or open this link:" } : null,
    reason: `You’re receiving this e-mail because you have a subscription with ${business.name}.`,
  });
}
