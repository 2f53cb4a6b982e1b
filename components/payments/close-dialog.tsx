"use client";

import { Form, SubmitButton } from "@/components/form/form";
import { TextAreaField } from "@/components/form/inputs";
import { useContractForm } from "@/components/form/use-contract-form";
import { Button } from "@/components/ui/button";
import { Dialog } from "@/components/ui/dialog";
import { useAction } from "@/lib/client/hooks";
import { notify } from "@/lib/client/notices";
import { closePayment, getOverview, getPaymentLink } from "@/lib/contract/operations";
import { ClosePaymentInput, type Payment } from "@/lib/contract/payments";
import { limits } from "@/lib/contract/values";
import { providerOf } from "./words";

type CloseDialogProps = { payment: Payment; open: boolean; onClose: () => void };

/** Ends a payment of another amount than was asked, once somebody has dealt with the money at the provider. */
export function CloseDialog({ payment, open, onClose }: CloseDialogProps) {
  const provider = providerOf(payment);
  return (
    <Dialog
      title="Close this payment"
      description={`Look at ${provider} first, and give the money back or keep it there: closing moves and books nothing. The payment counts as failed${
        payment.payment_link_id
          ? ", and its link can be paid, recorded by hand, changed or deleted again"
          : ""
      }. It cannot be taken back.`}
      open={open}
      onOpenChange={(next) => !next && onClose()}
    >
      <Fields payment={payment} onClose={onClose} />
    </Dialog>
  );
}

function Fields({ payment, onClose }: Pick<CloseDialogProps, "payment" | "onClose">) {
  const close = useAction(closePayment, {
    invalidates: [getPaymentLink, getOverview],
    onProblem: () => undefined,
  });
  const form = useContractForm(ClosePaymentInput, {
    guard: false,
    defaults: { note: "" },
    submit: (body) => close.runAsync({ params: { payment_id: payment._id }, body }),
    onSaved: () => {
      notify({ title: "Payment closed", tone: "good" });
      onClose();
    },
  });
  return (
    <Form form={form} label="Close payment" className="gap-5!">
      <TextAreaField
        name="note"
        label="Note"
        hint="For your team: what was done about the money."
        maxLength={limits.note}
        rows={2}
      />
      <div className="flex flex-wrap justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <SubmitButton variant="destroy">Close payment</SubmitButton>
      </div>
    </Form>
  );
}
