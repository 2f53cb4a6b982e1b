"use client";

import { Form, SubmitButton } from "@/components/form/form";
import { RadioField } from "@/components/form/inputs";
import { useUnsentReason } from "@/components/mails/use-mail-notice";
import { useContractForm } from "@/components/form/use-contract-form";
import { Button } from "@/components/ui/button";
import { Dialog } from "@/components/ui/dialog";
import { useAction } from "@/lib/client/hooks";
import { notify } from "@/lib/client/notices";
import { touchedByMoney } from "@/lib/client/touched";
import { resolveRefund } from "@/lib/contract/operations";
import type { PaymentWithPayer } from "@/lib/contract/payments";
import { type Refund, ResolveRefundInput } from "@/lib/contract/refunds";
import { displayAmount } from "@/lib/kernel/money";
import { Overtaken } from "./overtaken";
import { providerOf, refundedPayer, refundMeaning } from "./words";

type ResolveRefundProps = {
  payment: PaymentWithPayer;
  refund: Refund;
  onClose: () => void;
};

/** Ends a refund without an outcome as staff found it in the provider's records. */
export function ResolveRefundDialog({ payment, refund, onClose }: ResolveRefundProps) {
  return (
    <Dialog
      title={`Resolve the refund of ${displayAmount(refund.amount, refund.currency)}`}
      description={`First look for it at ${providerOf(payment)}, then say what you found. Resolving moves no money. This can’t be undone.`}
      open
      onOpenChange={(next) => !next && onClose()}
    >
      <Fields payment={payment} refund={refund} onClose={onClose} />
    </Dialog>
  );
}

function Fields({ payment, refund, onClose }: ResolveRefundProps) {
  const { mail } = refundedPayer(payment, useUnsentReason());
  const isOver = refund.status !== "unknown";
  const resolve = useAction(resolveRefund, {
    invalidates: touchedByMoney,
    onProblem: () => undefined,
  });
  const form = useContractForm(ResolveRefundInput, {
    guard: false,
    defaults: { outcome: "" },
    confirm: async () => !isOver,
    submit: (body) => resolve.runAsync({ params: { refund_id: refund._id }, body }),
    onSaved: () => {
      notify({ title: "Refund resolved", tone: "good" });
      onClose();
    },
  });
  // While it is sent, it may be over because of that.
  const overtaken = isOver && !form.busy;
  return (
    <Form form={form} label="Resolve refund" className="gap-5!">
      {overtaken ? (
        <Overtaken text={`${refundMeaning(refund)} Nothing is left to resolve.`} />
      ) : null}
      <RadioField
        form={form}
        name="outcome"
        label={`At ${providerOf(payment)}`}
        options={[
          {
            value: "succeeded",
            label: `${displayAmount(refund.amount, refund.currency)} went back`,
            hint: `The refund is booked. ${mail}`,
          },
          {
            value: "failed",
            label: "Nothing was refunded",
            hint: "The amount can be refunded again.",
          },
        ]}
      />
      <div className="flex flex-wrap justify-end gap-2">
        <Button onClick={onClose}>{overtaken ? "Close" : "Cancel"}</Button>
        {overtaken ? null : <SubmitButton variant="destroy">Resolve refund</SubmitButton>}
      </div>
    </Form>
  );
}
