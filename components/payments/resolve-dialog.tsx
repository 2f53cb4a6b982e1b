"use client";

import { Form, SubmitButton } from "@/components/form/form";
import { NoteField } from "@/components/form/inputs";
import { useContractForm } from "@/components/form/use-contract-form";
import { Button } from "@/components/ui/button";
import { Dialog } from "@/components/ui/dialog";
import { useAction } from "@/lib/client/hooks";
import { notify } from "@/lib/client/notices";
import { touchedByMoney } from "@/lib/client/touched";
import { resolvePayment } from "@/lib/contract/operations";
import { ResolvePaymentInput, type Payment } from "@/lib/contract/payments";
import { providerOf } from "./words";

type ResolveDialogProps = { payment: Payment; open: boolean; onClose: () => void };

/** Ends a payment with an amount mismatch, after staff dealt with the money at the provider. */
export function ResolveDialog({ payment, open, onClose }: ResolveDialogProps) {
  const provider = providerOf(payment);
  return (
    <Dialog
      title="Resolve this payment"
      description={`First refund or keep the money at ${provider}: resolving moves and books nothing. The payment counts as failed${
        payment.payment_link_id ? ", and its link can be paid, edited or deleted again" : ""
      }. This can’t be undone.`}
      open={open}
      onOpenChange={(next) => !next && onClose()}
    >
      <Fields payment={payment} onClose={onClose} />
    </Dialog>
  );
}

function Fields({ payment, onClose }: Pick<ResolveDialogProps, "payment" | "onClose">) {
  const resolve = useAction(resolvePayment, {
    invalidates: touchedByMoney,
    onProblem: () => undefined,
  });
  const form = useContractForm(ResolvePaymentInput, {
    guard: false,
    defaults: { note: "" },
    submit: (body) => resolve.runAsync({ params: { payment_id: payment._id }, body }),
    onSaved: () => {
      notify({ title: "Payment resolved", tone: "good" });
      onClose();
    },
  });
  return (
    <Form form={form} label="Resolve payment" className="gap-5!">
      <NoteField
        form={form}
        name="note"
        label="Note"
        hint="For your team: what was done about the money."
      />
      <div className="flex flex-wrap justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <SubmitButton variant="destroy">Resolve payment</SubmitButton>
      </div>
    </Form>
  );
}
