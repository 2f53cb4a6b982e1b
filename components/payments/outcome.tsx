import { RecordLink } from "@/components/record/record-link";
import { StatusBadge } from "@/components/ui/badge";
import { Card } from "@/components/ui/card";
import { Time } from "@/components/ui/time";
import type { PaymentWithPayer } from "@/lib/contract/payments";
import { meaningOf } from "./words";

/** What became of a payment, in words; `since`: the charge that took the same amount after this one had failed. */
export function Outcome({
  payment,
  since,
}: {
  payment: PaymentWithPayer;
  since: PaymentWithPayer | undefined;
}) {
  return (
    <Card title={payment.status === "failed" ? "Why it failed" : "What happened"}>
      {payment.message ? <p className="text-note font-medium">{payment.message}</p> : null}
      <p className={payment.message ? "mt-1 text-muted" : "text-note"}>{meaningOf(payment)}</p>
      {since ? (
        <p className="mt-2 flex flex-wrap items-center gap-x-2 gap-y-1">
          The same amount was charged to this saved method since:{" "}
          <RecordLink to={`/payments/${since._id}`} text={since.title} />
          <StatusBadge status={since.status} />
          <Time value={since.created_at} />
        </p>
      ) : null}
    </Card>
  );
}
