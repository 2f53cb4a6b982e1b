"use client";

import Link from "next/link";
import { useUnsentReason } from "@/components/mails/use-mail-notice";
import { Confirm } from "@/components/ui/dialog";
import { StatusBadge } from "@/components/ui/badge";
import { Button } from "@/components/ui/button";
import { Time } from "@/components/ui/time";
import { useEndpoint } from "@/lib/client/hooks";
import { problemText } from "@/lib/client/problem";
import { useScope } from "@/lib/client/use-scope";
import type { EqualCharges } from "@/lib/contract/lost-answers";
import { listEqualCharges } from "@/lib/contract/operations";
import type { SeenTokenization, TokenChargeInput } from "@/lib/contract/tokenizations";
import { displayAmount } from "@/lib/kernel/money";
import { cardOf } from "./words";

type ConfirmChargeProps = {
  token: SeenTokenization;
  /** What would be charged; null while nothing is asked. */
  charge: TokenChargeInput | null;
  onAnswer: (yes: boolean) => void;
};

/** Asks before a saved method is charged, by amount and card, and warns of an equal charge a short time ago. */
export function ConfirmCharge({ token, charge, onAnswer }: ConfirmChargeProps) {
  const equal = useEndpoint(
    listEqualCharges,
    {
      params: { token: token._id },
      query: { amount: charge?.amount, currency: charge?.currency },
    },
    { enabled: charge !== null },
  );
  const unsent = useUnsentReason();
  const amount = charge ? displayAmount(charge.amount, charge.currency) : "";
  const known = equal.isFetching || equal.error ? undefined : equal.data;
  const again = known !== undefined && known.payments.length > 0;
  return (
    <Confirm
      title={`Charge ${amount} to ${cardOf(token)}?`}
      confirm={`Charge ${amount}${again ? " again" : ""}`}
      tone={again ? "danger" : "primary"}
      busy={equal.isFetching}
      open={charge !== null}
      onOpenChange={(open) => !open && onAnswer(false)}
      onConfirm={() => (known ? onAnswer(true) : void equal.refetch())}
    >
      <p>
        The money is taken at once, without {token.email}.{" "}
        {unsent ?? "They get a receipt by e-mail."}
      </p>
      {equal.isFetching ? <p className="mt-3">Looking for equal charges…</p> : null}
      {equal.error && !equal.isFetching ? (
        <div role="alert" className="mt-3 rounded-control bg-bad-soft px-3.5 py-2.5 text-bad">
          <p className="font-medium">It could not be checked whether this was already charged.</p>
          <p className="mt-0.5 mb-2">{problemText(equal.error)}</p>
          <Button size="small" onClick={() => void equal.refetch()}>
            Check again
          </Button>
        </div>
      ) : null}
      {again ? <EqualWarning equal={known} amount={amount} /> : null}
    </Confirm>
  );
}

function EqualWarning({ equal, amount }: { equal: EqualCharges; amount: string }) {
  const { path } = useScope();
  return (
    <div role="alert" className="mt-3 rounded-control bg-warn-soft px-3.5 py-2.5 text-warn">
      <p className="font-medium">
        {`${amount} was charged to this saved method within the last ${equal.minutes} minutes:`}
      </p>
      <ul className="mt-1 grid gap-1">
        {equal.payments.map((payment) => (
          <li key={payment._id} className="flex flex-wrap items-center gap-x-3 gap-y-1">
            <Link
              href={path(`/payments/${payment._id}`)}
              target="_blank"
              className="inline-flex min-h-6 items-center font-medium underline underline-offset-3"
            >
              <Time value={payment.created_at} />
            </Link>
            <StatusBadge status={payment.status} />
            {payment.reference ? (
              <span dir="auto" lang="">
                {payment.reference}
              </span>
            ) : null}
          </li>
        ))}
      </ul>
      <p className="mt-1">Charge it again only if it is owed twice.</p>
    </div>
  );
}
