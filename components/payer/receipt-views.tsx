import type { ReactNode } from "react";
import { readableTime } from "@/lib/kernel/readable-time";
import type { PaidProps, ThankYouProps } from "@/lib/payer/view";
import { Amount, type Fact, Facts, referenceFacts, Seal, Shell } from "./shell";

const words = {
  paid: "Paid",
  partially_refunded: "Paid",
  refunded: "Refunded",
  disputed: "Disputed",
};
export const paidTitle = ({ amount, business, outcome }: PaidProps) =>
  `${words[outcome]}: ${amount} to ${business.name}`;
export const thankYouTitle = ({ amount, business, outcome }: ThankYouProps) =>
  outcome === "pending"
    ? `Payment to ${business.name} is being confirmed`
    : `Thank you: ${amount} paid to ${business.name}`;

const thanks = {
  paid: (name: string) => `${name} has your payment.`,
  late: (name: string) =>
    `${name} has your payment. It arrived after this payment link was closed or changed, so ${name} may refund it.`,
  duplicate: (name: string) =>
    `${name} has your payment. This was already paid, so ${name} may refund it.`,
  refunded: () => "Your payment was refunded.",
  partially_refunded: () => "Part of your payment was refunded.",
  // Nothing about who has the money: that is what the dispute is about.
  disputed: () => "This payment was disputed at your bank.",
  pending: (name: string) =>
    `Your payment is being confirmed. ${name} will know as soon as it goes through. Please don’t pay again.`,
};

export function PaidView(props: PaidProps) {
  const { business, test, amount, outcome } = props;
  const isPaid = outcome === "paid" || outcome === "partially_refunded";
  return (
    <Shell business={business} test={test} kind="receipt state" amount={amount}>
      <div className="face">
        {isPaid ? <Seal sign="good" tone="good" /> : <Seal sign="gone" tone="quiet" />}
        <h1>{isPaid ? "Already paid" : "Nothing left to pay"}</h1>
        <p className="text">
          {outcome === "paid"
            ? "Nothing is left to pay here. This is the receipt."
            : thanks[outcome]()}
        </p>
        <Amount amount={amount} />
      </div>
      <ReceiptStub {...props} />
    </Shell>
  );
}

export function ThankYouView(props: ThankYouProps) {
  const { business, test, amount, outcome } = props;
  const waits = props.outcome === "pending" ? props : undefined;
  return (
    <Shell business={business} test={test} kind="receipt state" amount={amount}>
      <div className="face">
        {waits ? <Seal sign="wait" tone="warn" /> : <Seal sign="good" tone="good" />}
        <h1>{waits ? "Nearly there" : "Thank you"}</h1>
        <p className="text">{thanks[outcome](business.name)}</p>
        <Amount amount={amount} />
      </div>
      <ReceiptStub {...props}>
        {waits ? (
          <>
            <a className="button quiet" href={waits.reloadUrl}>
              Check again
            </a>
            <p className="hint">
              This page checks every ten seconds. The last check was at{" "}
              <time dateTime={waits.lookedAt}>{waits.lookedAt.slice(11, 19)} UTC</time>.
            </p>
          </>
        ) : null}
      </ReceiptStub>
    </Shell>
  );
}

function ReceiptStub({
  children,
  business,
  title,
  references = [],
  paidAt,
  paymentId,
  timeZone,
  refunded,
  receiptUrl,
  outcome,
}: (PaidProps | ThankYouProps) & { children?: ReactNode }) {
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
      {children ??
        (receiptUrl ? (
          <a className="button quiet" href={receiptUrl} download>
            Download the receipt (PDF)
          </a>
        ) : outcome === "disputed" ? null : (
          <p className="hint">Keep this page, or print it for your records.</p>
        ))}
    </div>
  );
}
