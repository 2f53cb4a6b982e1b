import { readableTime } from "@/lib/kernel/readable-time";
import { oneLine } from "../one-line";
import { type MailBusiness, type RenderedMail, renderMail } from "./layout";

export type ReceiptMailProps = {
  business: MailBusiness;
  test: boolean;
  title: string;
  /** From `displayAmount`. */
  amount: string;
  references?: readonly (string | null | undefined)[];
  /** ISO 8601 UTC. */
  paidAt: string;
  paymentId: string;
  /** The saved method that was charged, such as "Visa 4242". */
  method?: string | null;
  /** The business's IANA zone, shown beside UTC. */
  timeZone?: string | null;
  /** Where the payer downloads the receipt as a PDF. */
  receiptUrl: string;
};

/** The mail a payer keeps after a payment. */
export function renderReceiptMail(props: ReceiptMailProps): RenderedMail {
  const { test, amount, references = [], paidAt, paymentId, method, timeZone, receiptUrl } = props;
  const business = { ...props.business, name: oneLine(props.business.name) };
  const title = oneLine(props.title);
  return renderMail({
    business,
    test,
    subject: oneLine(`${test ? "[Test] " : ""}Receipt: ${amount} paid to ${business.name}`, 150),
    preview: title,
    heading: "Thank you for your payment",
    amount,
    title,
    paragraphs: [],
    facts: [
      { label: "Paid to", value: business.name },
      ...references.flatMap((value, index) =>
        value
          ? [{ label: index === 0 ? "Reference" : `Reference ${index + 1}`, value: oneLine(value) }]
          : [],
      ),
      ...(method ? [{ label: "Paid with", value: oneLine(method) }] : []),
      { label: "Paid on", value: readableTime(paidAt, timeZone) },
      { label: "Payment", value: paymentId, mono: true },
    ],
    button: {
      label: "Download the receipt (PDF)",
      address: receiptUrl,
      note: "Or open this link:",
    },
    reason: `This is your receipt from ${business.name}. Keep it for your records.`,
  });
}
