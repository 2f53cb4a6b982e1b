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
import { Overtaken } from "./overtaken";
import { meaningOf, providerOf } from "./words";

type ResolveDialogProps = {
  payment: Payment;
  reason: "mismatch" | "unknown";
  /** The gateway or a teammate was first. */
  isOver: boolean;
  onClose: () => void;
};

const firstSteps = {
  mismatch: (provider: string) =>
    `First refund or keep the money at ${provider}: resolving here moves no money and books nothing.`,
  unknown: (provider: string) =>
    `First look for it at ${provider}. Resolve it only if nothing was taken there, or if you have given the money back: resolving here moves no money and books nothing.`,
};

/** Ends a payment with an amount mismatch or without an outcome, after staff looked at the provider's records. */
export function ResolveDialog({ payment, reason, isOver, onClose }: ResolveDialogProps) {
  return (
    <Dialog
      title="Resolve this payment"
      description={`${firstSteps[reason](providerOf(payment))} The payment counts as failed${
        payment.payment_link_id ? ", and its link can be paid, edited or deleted again" : ""
      }. This can’t be undone.`}
      open
      onOpenChange={(next) => !next && onClose()}
    >
      <Fields payment={payment} isOver={isOver} onClose={onClose} />
    </Dialog>
  );
}

function Fields({ payment, isOver, onClose }: Omit<ResolveDialogProps, "reason">) {
  const resolve = useAction(resolvePayment, {
    invalidates: touchedByMoney,
    onProblem: () => undefined,
  });
  const form = useContractForm(ResolvePaymentInput, {
    guard: false,
    defaults: { note: "" },
    confirm: async () => !isOver,
    submit: (body) => resolve.runAsync({ params: { payment_id: payment._id }, body }),
    onSaved: () => {
      notify({ title: "Payment resolved", tone: "good" });
      onClose();
    },
  });
  // While it is sent, it may be over because of that.
  const overtaken = isOver && !form.busy;
  return (
    <Form form={form} label="Resolve payment" className="gap-5!">
      {overtaken ? <Overtaken text={`${meaningOf(payment)} Nothing is left to resolve.`} /> : null}
      <NoteField
        form={form}
        name="note"
        label="Note"
        hint="For your team: what was done about the money."
      />
      <div className="flex flex-wrap justify-end gap-2">
        <Button onClick={onClose}>{overtaken ? "Close" : "Cancel"}</Button>
        {overtaken ? null : <SubmitButton variant="destroy">Resolve payment</SubmitButton>}
      </div>
    </Form>
  );
}
