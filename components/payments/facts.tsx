import { CustomerLink } from "@/components/record/customer-link";
import { type FactsOf, given, shownFacts } from "@/components/record/facts";
import { RecordLink } from "@/components/record/record-link";
import { Card, Facts } from "@/components/ui/card";
import { Money } from "@/components/ui/money";
import { Time } from "@/components/ui/time";
import { useNow } from "@/lib/client/use-now";
import { methodLabel } from "@/lib/contract/payment-methods";
import type { Payment, PaymentWithPayer } from "@/lib/contract/payments";
import { usePaymentTimeline } from "./use-payment-timeline";
import { collected, netLabel, providerOf, resolvableLater, savedCardOf } from "./words";

/** What a payment's record says, in words. */
export function PaymentFacts({ payment }: { payment: PaymentWithPayer }) {
  const now = useNow(30_000);
  return (
    <Card title="Details">
      <Facts items={shownFacts(factsOf(payment, now))} className="sm:grid-cols-[8rem_1fr]!" />
    </Card>
  );
}

type PaidRecordProps = {
  payment: PaymentWithPayer;
  kind: "payment_link" | "subscription";
  to: string;
  text: string;
};

/** Leads to what was paid. A deleted record has no page: its name says so. */
function PaidRecord({ payment, kind, to, text }: PaidRecordProps) {
  const isDeleted = usePaymentTimeline(payment).data?.some(
    (entry) => entry.kind === `${kind}.deleted`,
  );
  return isDeleted ? (
    <>
      <bdi lang="">{text}</bdi> (deleted)
    </>
  ) : (
    <RecordLink to={to} text={text} />
  );
}

const factsOf = (payment: PaymentWithPayer, now: number): FactsOf<PaymentWithPayer> => ({
  status: null,
  amount_decimal: null,
  currency: null,
  message: null,
  flags: null,
  method: null,
  business_id: null,
  fee_decimal: null,
  fee_currency: null,
  net_decimal: null,
  refunded_amount_decimal: null,
  disputed_amount_decimal: null,
  dispute_fee_decimal: null,
  dispute_fee_currency: null,
  card_last4: null,
  email: { label: "Payer", value: <CustomerLink email={payment.email} /> },
  title: {
    label: "Title",
    value: <bdi lang="">{payment.title}</bdi>,
  },
  payment_method_type: given(
    "Paid with",
    payment.payment_method_type && methodLabel(payment.payment_method_type),
  ),
  card_brand: given("Card", savedCardOf(payment)),
  payment_link_id: given(
    "Payment link",
    payment.payment_link_id && (
      <PaidRecord
        payment={payment}
        kind="payment_link"
        to={`/payment-links/${payment.payment_link_id}`}
        text={payment.title}
      />
    ),
  ),
  subscription_id: given(
    "Subscription",
    payment.subscription_id && (
      <PaidRecord
        payment={payment}
        kind="subscription"
        to={`/subscriptions/${payment.subscription_id}`}
        text={payment.subscription_id}
      />
    ),
  ),
  tokenization_id: given(
    "Token",
    payment.tokenization_id && (
      <RecordLink to={`/tokens/${payment.tokenization_id}`} text={payment.tokenization_id} />
    ),
  ),
  amount: {
    label: "Amount",
    value: <Money amount={payment.amount} currency={payment.currency} />,
  },
  fee: given(
    "Fee",
    payment.fee !== null && payment.fee_currency !== null ? (
      <Money amount={payment.fee} currency={payment.fee_currency} />
    ) : collected(payment) ? (
      "Not reported"
    ) : null,
  ),
  net: given(
    netLabel(payment),
    payment.net === null ? null : <Money amount={payment.net} currency={payment.currency} />,
  ),
  refunded_amount: given("Refunded", moved(payment.refunded_amount, payment)),
  dispute_status: given("Dispute", payment.dispute_status && disputes[payment.dispute_status]),
  disputed_amount: given("Taken by the bank", moved(payment.disputed_amount, payment)),
  dispute_fee: given(
    "Dispute fee",
    payment.dispute_fee_currency &&
      moved(payment.dispute_fee ?? 0, { currency: payment.dispute_fee_currency }),
  ),
  reference: { label: "Reference", value: payment.reference },
  gateway: { label: "Provider", value: providerOf(payment) },
  note: given(
    "Note",
    payment.note && (
      <span dir="auto" lang="" className="break-words whitespace-pre-line">
        {payment.note}
      </span>
    ),
  ),
  succeeded_at: given(
    "Paid",
    payment.received_at === null && payment.succeeded_at && <Time value={payment.succeeded_at} />,
  ),
  resolvable_at: given(
    "Can be resolved",
    resolvableLater(payment, now) && (
      <>
        From <Time value={payment.resolvable_at} />
      </>
    ),
  ),
  received_at: given("Received", payment.received_at && <Time value={payment.received_at} />),
  created_at: { label: "Started", value: <Time value={payment.created_at} /> },
  updated_at: { label: "Changed", value: <Time value={payment.updated_at} /> },
  _id: { label: "Id", value: <span className="font-mono text-fine">{payment._id}</span> },
});

const disputes: Record<NonNullable<Payment["dispute_status"]>, string> = {
  open: "Open: the payer’s bank has not decided",
  lost: "Lost: the payer’s bank kept the money",
  won: "Won: the money came back",
};

const moved = (amount: number, { currency }: Pick<Payment, "currency">) =>
  amount > 0 ? <Money amount={amount} currency={currency} /> : null;
