import { readableTime } from "@/lib/kernel/readable-time";
import { oneLine } from "../one-line";
import { type MailBusiness, type RenderedMail, renderMail } from "./layout";

export type RefundMailProps = {
  business: MailBusiness;
  test: boolean;
  title: string;
  /** From `displayAmount`: what goes back now, what was paid, and what has gone back in all when that is more. */
  amount: string;
  paid: string;
  refundedInAll: string | null;
  references?: readonly (string | null | undefined)[];
  /** ISO 8601 UTC. */
  refundedAt: string;
  paymentId: string;
  /** Whether the money goes back the way it came, through the gateway. */
  throughGateway: boolean;
  /** The business's IANA zone, shown beside UTC. */
  timeZone?: string | null;
};

/** The mail that tells a payer of money going back. Why is between them and the business, so it does not say. */
export function renderRefundMail(props: RefundMailProps): RenderedMail {
  const {
    test,
    amount,
    paid,
    refundedInAll,
    references = [],
    refundedAt,
    paymentId,
    throughGateway,
    timeZone,
  } = props;
  const business = { ...props.business, name: oneLine(props.business.name) };
  const title = oneLine(props.title);
  return renderMail({
    business,
    test,
    subject: oneLine(`${test ? "[Test] " : ""}Refund: ${amount} from ${business.name}`, 150),
    preview: title,
    heading: "You’ve been refunded",
    amount,
    title,
    paragraphs: [
      throughGateway
        ? "The money goes back the way you paid. Your bank may take a few days to show it."
        : `${business.name} has recorded that this money was returned to you.`,
    ],
    facts: [
      { label: "Refund from", value: business.name },
      ...references.flatMap((value, index) =>
        value
          ? [{ label: index === 0 ? "Reference" : `Reference ${index + 1}`, value: oneLine(value) }]
          : [],
      ),
      { label: "You paid", value: paid },
      ...(refundedInAll ? [{ label: "Total refunded", value: refundedInAll }] : []),
      { label: "Refunded on", value: readableTime(refundedAt, timeZone) },
      { label: "Payment", value: paymentId, mono: true },
    ],
    reason: `You’re receiving this e-mail because ${business.name} refunded a payment of yours.`,
  });
}
