import { readableDayIn, readableTime } from "@/lib/kernel/readable-time";
import { oneLine } from "../one-line";
import { type MailBusiness, type RenderedMail, renderMail } from "./layout";

export type PaymentLinkMailProps = {
  /** Reminds of a link that the payer knows. */
  reminder?: boolean;
  /** The due date has passed. */
  overdue?: boolean;
  business: MailBusiness;
  test: boolean;
  title: string;
  description?: string | null;
  /** From `displayAmount`. */
  amount: string;
  references?: readonly (string | null | undefined)[];
  /** The link's payment_url. */
  address: string;
  /** ISO 8601 UTC. */
  expiresAt?: string | null;
  /** ISO 8601 UTC. */
  dueAt?: string | null;
  /** The business's IANA zone, shown beside UTC. */
  timeZone?: string | null;
};

/** What a reminder's subject and first words say of a link. */
function wordsOf(
  { reminder, overdue, dueAt, timeZone, amount }: PaymentLinkMailProps,
  name: string,
) {
  if (!reminder)
    return { subject: `${name} asks you to pay ${amount}`, heading: `${name} asks you to pay` };
  const day = dueAt && readableDayIn(dueAt, timeZone ?? "UTC");
  const ask = `${name} asks you to pay ${amount}`;
  const when = day ? `${amount} to ${name} ${overdue ? "was" : "is"} due on ${day}` : ask;
  return {
    subject: `Reminder: ${when}`,
    heading: `Reminder: ${day ? `payment ${overdue ? "was" : "is"} due on ${day}` : `${name} asks you to pay`}`,
  };
}

/** The mail that brings a payer a payment link, or reminds of one. */
export function renderPaymentLinkMail(props: PaymentLinkMailProps): RenderedMail {
  const { test, amount, description, references = [], address, expiresAt, dueAt, timeZone } = props;
  const business = { ...props.business, name: oneLine(props.business.name) };
  const title = oneLine(props.title);
  const words = wordsOf(props, business.name);
  return renderMail({
    business,
    test,
    subject: oneLine(`${test ? "[Test] " : ""}${words.subject}`, 150),
    preview: title,
    heading: words.heading,
    amount,
    title,
    paragraphs: props.reminder ? ["We have not received this payment yet."] : [],
    description,
    facts: [
      ...references.flatMap((value, index) =>
        value
          ? [{ label: index === 0 ? "Reference" : `Reference ${index + 1}`, value: oneLine(value) }]
          : [],
      ),
      ...(dueAt ? [{ label: "Due", value: readableDayIn(dueAt, timeZone ?? "UTC") }] : []),
      ...(expiresAt ? [{ label: "Pay before", value: readableTime(expiresAt, timeZone) }] : []),
    ],
    button: { label: `Pay ${amount}`, address, note: "Or open this link:" },
    reason: `You’re receiving this e-mail because ${business.name} created a payment link for you. If you don’t know them, ignore this e-mail.`,
  });
}
