import { readableDayIn, readableTime } from "@/lib/kernel/readable-time";
import { oneLine } from "../one-line";
import { type MailBusiness, type RenderedMail, renderMail } from "./layout";

export type PaymentLinkMailProps = {
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

/** The mail that brings a payer a new payment link. */
export function renderPaymentLinkMail(props: PaymentLinkMailProps): RenderedMail {
  const { test, amount, description, references = [], address, expiresAt, dueAt, timeZone } = props;
  const business = { ...props.business, name: oneLine(props.business.name) };
  const title = oneLine(props.title);
  return renderMail({
    business,
    test,
    subject: oneLine(`${test ? "[Test] " : ""}${business.name} asks you to pay ${amount}`, 150),
    preview: title,
    heading: `${business.name} asks you to pay`,
    amount,
    title,
    paragraphs: description ? [description] : [],
    facts: [
      ...references.flatMap((value, index) =>
        value
          ? [{ label: index === 0 ? "Reference" : `Reference ${index + 1}`, value: oneLine(value) }]
          : [],
      ),
      ...(dueAt ? [{ label: "Due", value: readableDayIn(dueAt, timeZone ?? "UTC") }] : []),
      ...(expiresAt ? [{ label: "Pay before", value: readableTime(expiresAt, timeZone) }] : []),
    ],
    button: { label: `Pay ${amount}`, address, note: "Or open this address:" },
    reason: `You get this mail because ${business.name} made a payment link for you. If you don’t know them, ignore this e-mail.`,
  });
}
