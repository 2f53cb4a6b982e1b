"use client";

import { Form, SubmitButton } from "@/components/form/form";
import { LostAnswer } from "@/components/form/lost-answer";
import { NoteField, SelectField } from "@/components/form/inputs";
import { MomentField } from "@/components/form/moment-input";
import { useContractForm } from "@/components/form/use-contract-form";
import { useUnsentReason } from "@/components/mails/use-mail-notice";
import { manualOptions } from "@/components/payments/words";
import { Button } from "@/components/ui/button";
import { Dialog } from "@/components/ui/dialog";
import { notify } from "@/lib/client/notices";
import { touchedByMoney } from "@/lib/client/touched";
import { useMoneyCall } from "@/lib/client/use-money-call";
import { recordPayment } from "@/lib/contract/operations";
import type { PaymentLink } from "@/lib/contract/payment-links";
import { ManualPaymentInput } from "@/lib/contract/payments";
import { displayAmount } from "@/lib/kernel/money";

type RecordPaymentProps = { link: PaymentLink; open: boolean; onClose: () => void };

/** Records that a link's amount came past the payment provider. */
export function RecordPayment({ link, open, onClose }: RecordPaymentProps) {
  const unsent = useUnsentReason();
  return (
    <Dialog
      title={`Record a payment of “${link.title}”`}
      description={`${displayAmount(link.amount, link.currency)} of ${[link.email, link.reference].filter(Boolean).join(", ")} that came in cash, by bank transfer or another way. The link becomes paid. ${unsent ?? "The payer gets a receipt by e-mail."}`}
      open={open}
      onOpenChange={(next) => !next && onClose()}
    >
      <Fields link={link} onClose={onClose} />
    </Dialog>
  );
}

// The version is the one that is shown.
const asked = ManualPaymentInput.omit({ version: true });

function Fields({ link, onClose }: Omit<RecordPaymentProps, "open">) {
  const record = useMoneyCall(
    recordPayment,
    { payment_link_id: link._id },
    { invalidates: touchedByMoney },
  );
  const form = useContractForm(asked, {
    defaults: { method: "cash", note: "", received_at: "" },
    submit: (body) =>
      record.send(
        { ...body, version: link.version },
        `The payment of ${displayAmount(link.amount, link.currency)}`,
      ),
    onSaved: (payment) => {
      notify({
        title: `${displayAmount(payment.amount, payment.currency)} recorded`,
        description: `“${link.title}” is paid.`,
        tone: "good",
      });
      onClose();
    },
  });
  return (
    <Form form={form} label="Record a payment">
      <LostAnswer call={record} ran={() => "it was recorded."} />
      <div className="grid gap-4 sm:grid-cols-2">
        <SelectField form={form} name="method" label="How it came" options={manualOptions} />
        <MomentField
          form={form}
          name="received_at"
          label="When it came"
          bare="begin"
          hint="Now, when left empty."
        />
      </div>
      <NoteField
        form={form}
        name="note"
        label="Note"
        hint="For your team; the payer does not see it."
      />
      <div className="flex flex-wrap justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <SubmitButton disabled={record.asking}>Record payment</SubmitButton>
      </div>
    </Form>
  );
}
