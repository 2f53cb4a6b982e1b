import { readableTime } from "@/lib/kernel/readable-time";
import {
  Amount,
  type Fact,
  Facts,
  type PageProps,
  type PayerBusiness,
  referenceFacts,
  Seal,
  Shell,
} from "./shell";

export type ReceiptProps = PageProps & {
  business: PayerBusiness;
  title: string;
  /** From `displayAmount`. */
  amount: string;
  references?: readonly (string | null | undefined)[];
  /** ISO 8601 UTC, null while nothing is settled. */
  paidAt?: string | null;
  paymentId?: string | null;
  /** The business's IANA zone, shown beside UTC. */
  timeZone?: string | null;
  /** From `displayAmount`: what went back so far, null for nothing. */
  refunded?: string | null;
};

/** A paid link opened again: the receipt, and no way to pay twice. */
export type PaidProps = ReceiptProps;

/** Where the browser ends without a redirect_url. `pending`: taken by the gateway, not settled yet. */
export type ThankYouProps = ReceiptProps & { outcome: "paid" | "pending" };

export const paidTitle = ({ amount, business }: PaidProps) => `Paid: ${amount} to ${business.name}`;
export const thankYouTitle = ({ amount, business, outcome }: ThankYouProps) =>
  outcome === "paid"
    ? `Thank you: ${amount} paid to ${business.name}`
    : `Payment to ${business.name} is being confirmed`;

export function PaidView(props: PaidProps) {
  const { business, test, amount } = props;
  return (
    <Shell business={business} test={test} kind="receipt state" amount={amount}>
      <div className="face">
        <Seal sign="good" tone="good" />
        <h1>Already paid</h1>
        <p className="text">Nothing is left to pay here. This is the receipt.</p>
        <Amount amount={amount} />
      </div>
      <ReceiptStub {...props} />
    </Shell>
  );
}

export function ThankYouView(props: ThankYouProps) {
  const { business, test, amount, outcome } = props;
  return (
    <Shell business={business} test={test} kind="receipt state" amount={amount}>
      <div className="face">
        {outcome === "paid" ? <Seal sign="good" tone="good" /> : <Seal sign="wait" tone="warn" />}
        <h1>{outcome === "paid" ? "Thank you" : "Nearly there"}</h1>
        <p className="text">
          {outcome === "paid"
            ? `${business.name} has your payment.`
            : `Your payment is being confirmed. ${business.name} is told as soon as it is through; please do not pay again.`}
        </p>
        <Amount amount={amount} />
      </div>
      <ReceiptStub {...props} />
    </Shell>
  );
}

function ReceiptStub({
  business,
  title,
  references = [],
  paidAt,
  paymentId,
  timeZone,
  refunded,
}: ReceiptProps) {
  const facts: Fact[] = [
    { label: "For", value: title },
    { label: paidAt ? "Paid to" : "To", value: business.name },
    ...referenceFacts(references),
    ...(paidAt
      ? [
          {
            label: "Paid on",
            value: <time dateTime={paidAt}>{readableTime(paidAt, timeZone)}</time>,
          },
        ]
      : []),
    ...(refunded ? [{ label: "Refunded", value: refunded }] : []),
    ...(paymentId ? [{ label: "Payment", value: <span className="mono">{paymentId}</span> }] : []),
  ];
  return (
    <div className="stub">
      <Facts facts={facts} />
      <p className="hint">Keep this page, or print it for your records.</p>
    </div>
  );
}
