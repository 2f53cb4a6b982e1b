"use client";

import { useEffect, useState } from "react";
import { useWatch } from "react-hook-form";
import { inMoneyWords } from "@/components/form/error-words";
import { Form, SubmitButton } from "@/components/form/form";
import { LostAnswer } from "@/components/form/lost-answer";
import { CheckboxField, NoteField } from "@/components/form/inputs";
import { actorName } from "@/components/record/changes";
import { useUnsentReason } from "@/components/mails/use-mail-notice";
import { AmountField } from "@/components/form/money-inputs";
import { useContractForm } from "@/components/form/use-contract-form";
import { Button } from "@/components/ui/button";
import { Dialog } from "@/components/ui/dialog";
import { RadioGroup } from "@/components/ui/fields";
import { ApiProblem } from "@/lib/client/problem";
import { notify } from "@/lib/client/notices";
import { touchedByMoney } from "@/lib/client/touched";
import { type MoneyCall, useMoneyCall } from "@/lib/client/use-money-call";
import { RefundAmount } from "@/lib/contract/fields";
import { createRefund } from "@/lib/contract/operations";
import type { PaymentWithPayer } from "@/lib/contract/payments";
import { type Refund, RefundInput } from "@/lib/contract/refunds";
import { displayAmount } from "@/lib/kernel/money";
import { Overtaken } from "./overtaken";
import { recordLabel, refundDescriptions, type RefundWay, wayOfRefund } from "./refund-ways";
import { usePaymentTimeline } from "./use-payment-timeline";
import { nothingLeft, refundedPayer, refundMeaning } from "./words";

type RefundDialogProps = {
  payment: PaymentWithPayer;
  left: number;
  /** Newest first. */
  refunds: readonly Refund[];
  name: string;
  open: boolean;
  onClose: () => void;
};

/** Gives money of a payment back: all that is left, or a part of it. */
export function RefundDialog({ payment, left, refunds, name, open, onClose }: RefundDialogProps) {
  const [way, setWay] = useState<RefundWay>(() => wayOfRefund(payment.gateway, false, false));
  const { paid, mail } = refundedPayer(payment, useUnsentReason());
  const refund = useMoneyCall(
    createRefund,
    { payment_id: payment._id },
    { invalidates: touchedByMoney },
  );
  const lost = (
    <LostAnswer call={refund} ran={(made) => (made ? outcomeOf(made).text : "it was made.")} />
  );
  return (
    <>
      {open ? null : lost}
      <Dialog
        title={`Refund “${name}”`}
        description={[paid, refundDescriptions[way], mail].filter(Boolean).join(" ")}
        open={open}
        onOpenChange={(next) => !next && onClose()}
      >
        <div className="grid gap-4">
          {lost}
          <Fields
            payment={payment}
            left={left}
            refunds={refunds}
            refund={refund}
            onWay={setWay}
            onClose={onClose}
          />
        </div>
      </Dialog>
    </>
  );
}

// Nothing written must not mean everything.
const PartInput = RefundInput.extend({ amount: RefundAmount });

const amounts = (left: string) => [
  { value: "all", label: `All that is left: ${left}` },
  { value: "part", label: "A part of it" },
];

function Fields({
  payment,
  left,
  refunds,
  refund,
  onWay,
  onClose,
}: Pick<RefundDialogProps, "payment" | "left" | "refunds" | "onClose"> & {
  refund: MoneyCall<typeof createRefund>;
  /** Learns who gives the money back. */
  onWay: (way: RefundWay) => void;
}) {
  const { currency } = payment;
  const [whole, setWhole] = useState("all");
  // The gateway cannot refund this payment: staff return the money and record it here.
  const [unsupported, setUnsupported] = useState(false);
  const shownLeft = displayAmount(left, currency);
  const form = useContractForm(whole === "part" ? PartInput : RefundInput, {
    defaults: { amount: "", made_at_gateway: false, reason: "" },
    confirm: async () => left > 0,
    submit: async ({ amount: part, ...body }) => {
      // What is left can change while the dialog is open: the label's amount is sent.
      const amount = part ?? left;
      const says = `The refund of ${displayAmount(amount, currency)}`;
      try {
        return await refund.send({ ...body, amount }, says);
      } catch (error) {
        if (!(error instanceof ApiProblem)) throw error;
        if (error.code === "refund_unsupported") setUnsupported(true);
        throw inMajorUnits(error, currency);
      }
    },
    onSaved: (made) => {
      tell(made);
      onClose();
    },
  });
  const ticked = useWatch({ control: form.fields.control, name: "made_at_gateway" });
  const part = useWatch({ control: form.fields.control, name: "amount" });
  const amount = whole === "part" ? part : left;
  const asked = typeof amount === "number" ? displayAmount(amount, currency) : "";
  const way = wayOfRefund(payment.gateway, unsupported, ticked === true);
  useEffect(() => onWay(way), [onWay, way]);
  // Beside an earlier refund, one that was made at the gateway may wait to be recorded.
  const mayRecord =
    unsupported ||
    (payment.gateway !== "manual" && refunds.some(({ status }) => status === "succeeded"));
  // While it is sent, nothing may be left because of this very refund.
  const isOver = left <= 0 && !form.busy;
  return (
    <Form form={form} label="Refund" className="gap-5!">
      {isOver ? <NothingLeft payment={payment} refunds={refunds} /> : null}
      {/* Beside the choice where there is room: what is below stays in its place. */}
      <div className="grid items-start gap-5 sm:grid-cols-[3fr_2fr]">
        <RadioGroup
          legend="How much"
          name="whole"
          options={amounts(shownLeft)}
          value={whole}
          onChange={(event) => {
            setWhole(event.target.value);
            form.setValue("amount", "");
          }}
        />
        {whole === "part" ? (
          <AmountField
            form={form}
            name="amount"
            label="Amount"
            code={currency}
            hint={`At most ${shownLeft}.`}
          />
        ) : null}
      </div>
      <NoteField
        form={form}
        name="reason"
        label="Reason"
        hint="For your team; the payer does not see it."
      />
      {mayRecord ? (
        <CheckboxField
          form={form}
          name="made_at_gateway"
          label={recordLabel(unsupported)}
          hint="Recording it moves no money."
        />
      ) : null}
      <div className="flex flex-wrap justify-end gap-2">
        <Button onClick={onClose}>{isOver ? "Close" : "Cancel"}</Button>
        {isOver ? null : (
          <SubmitButton variant="destroy" disabled={refund.asking}>
            {way === "listed" || way === "returned" ? (
              "Record refund"
            ) : (
              // As wide as with the most that it can say: it stays in its place.
              <span className="grid *:[grid-area:1/1]">
                <span aria-hidden="true" className="invisible">
                  Refund {shownLeft}
                </span>
                <span>Refund {asked}</span>
              </span>
            )}
          </SubmitButton>
        )}
      </div>
    </Form>
  );
}

/** Says why an open dialog can refund nothing any more, and who was first. */
function NothingLeft({ payment, refunds }: Pick<RefundDialogProps, "payment" | "refunds">) {
  const timeline = usePaymentTimeline(payment);
  const last = refunds.find(({ status }) => status !== "failed");
  const made = timeline.data?.filter(
    ({ kind, at }) => kind === "payment.refunded" && last && at >= last.created_at,
  );
  // Of several, one may be an older refund that came to its end.
  const actor = made?.length === 1 ? made[0]?.actor : undefined;
  return <Overtaken text={nothingLeft(payment, last, actor && actorName(actor))} />;
}

/** The API gives the limit of an amount in minor units. While all is chosen, there is no field that rewords it. */
function inMajorUnits(error: ApiProblem, currency: string): ApiProblem {
  const amount = error.errors.amount?.map((text) => inMoneyWords(text, currency));
  if (!amount) return error;
  return new ApiProblem(error.status, error.code, error.message, { ...error.errors, amount });
}

/** How a refund ended, for its notice and for a lost answer. */
function outcomeOf(refund: Refund): { title: string; text: string; tone?: "good" | "bad" } {
  const amount = displayAmount(refund.amount, refund.currency);
  const text = refund.message ?? refundMeaning(refund);
  if (refund.status === "succeeded") return { title: `${amount} refunded`, text, tone: "good" };
  if (refund.status === "failed") return { title: `${amount} was not refunded`, text, tone: "bad" };
  return { title: `${amount} is being refunded`, text };
}

// The call answers with the refund whatever became of it.
function tell(refund: Refund): void {
  const { title, text, tone } = outcomeOf(refund);
  notify({ title, tone, description: tone === "good" ? undefined : text });
}
