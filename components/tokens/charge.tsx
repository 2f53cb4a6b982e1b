"use client";

import { type ReactNode, useRef, useState } from "react";
import { FieldCards } from "@/components/form/field-cards";
import { Form, SubmitButton } from "@/components/form/form";
import { FormPage } from "@/components/form/form-page";
import { TextField } from "@/components/form/inputs";
import { AmountField } from "@/components/form/money-inputs";
import { RecentCurrencyField } from "@/components/form/recent-currency-field";
import { useRecentCurrencies } from "@/components/form/use-recent-currencies";
import { LostAnswer } from "@/components/form/lost-answer";
import {
  type ContractForm,
  type FieldName,
  useContractForm,
} from "@/components/form/use-contract-form";
import { collected, reasonOf } from "@/components/payments/words";
import { LinkButton } from "@/components/ui/link-button";
import { Card } from "@/components/ui/card";
import { NoProvider } from "@/components/record/no-provider";
import { RecordLink } from "@/components/record/record-link";
import { useEndpoint } from "@/lib/client/hooks";
import { notify } from "@/lib/client/notices";
import { touchedByMoney } from "@/lib/client/touched";
import { useMoneyCall } from "@/lib/client/use-money-call";
import { useScope } from "@/lib/client/use-scope";
import type { Business } from "@/lib/contract/business";
import { chargeToken, getBusiness, getPayment, getTokenization } from "@/lib/contract/operations";
import type { Payment, PaymentWithPayer } from "@/lib/contract/payments";
import { TokenChargeInput, type SeenTokenization } from "@/lib/contract/tokenizations";
import { limits } from "@/lib/contract/values";
import { displayAmount } from "@/lib/kernel/money";
import { ConfirmCharge } from "./confirm-charge";
import { cardOf, meaningOf, methodOf } from "./words";

/** Charges a saved payment method. The form begins with the terms of `again`, a payment of it that failed. */
export function ChargeToken({ id, again }: { id: string; again: string | null }) {
  const { path } = useScope();
  const business = useEndpoint(getBusiness, {});
  const recent = useRecentCurrencies(business.data);
  const token = useEndpoint(getTokenization, { params: { token: id } });
  const failed = useEndpoint(
    getPayment,
    { params: { payment_id: again ?? "" } },
    { enabled: again !== null },
  );
  const wasOpen = useRef(false);
  const draw = (seen: SeenTokenization, of: Business) => {
    if (seen.status !== "active") return <NotNow token={seen} wasOpen={wasOpen.current} />;
    wasOpen.current = true;
    return (
      <>
        <NoProvider business={of} what="charges" />
        <Fields
          token={seen}
          currency={recent.codes[0] ?? of.default_currency}
          failed={failed.data?.tokenization_id === seen._id ? failed.data : undefined}
        />
      </>
    );
  };
  return (
    <FormPage
      title="Charge token"
      description={token.data ? `“${token.data.title}” of ${token.data.email}.` : undefined}
      back={{ href: path(`/tokens/${id}`), label: token.data?.title ?? "Token" }}
      does={chargeToken}
      what="charges"
      record={token}
      needs={[business, recent.newest, ...(again === null ? [] : [failed])]}
    >
      {() => token.data && business.data && draw(token.data, business.data)}
    </FormPage>
  );
}

type Name = FieldName<typeof TokenChargeInput>;

const places: Record<Name, "charge"> = {
  amount: "charge",
  currency: "charge",
  title: "charge",
  reference: "charge",
};

const inputsOf = (form: ContractForm<Name>): Record<Name, ReactNode> => ({
  amount: <AmountField form={form} currency="currency" name="amount" label="Amount" />,
  currency: <RecentCurrencyField form={form} name="currency" />,
  title: (
    <TextField
      form={form}
      name="title"
      label="Title"
      hint="What it is for, as the payer reads it."
      limit={limits.title}
      autoComplete="off"
    />
  ),
  reference: (
    <TextField
      form={form}
      name="reference"
      label="Reference"
      limit={limits.reference}
      autoComplete="off"
    />
  ),
});

type FieldsProps = { token: SeenTokenization; currency: string; failed?: PaymentWithPayer };

function Fields({ token, currency, failed }: FieldsProps) {
  const { path } = useScope();
  const charge = useMoneyCall(chargeToken, { token: token._id }, { invalidates: touchedByMoney });
  const [asked, setAsked] = useState<{
    body: TokenChargeInput;
    answer: (yes: boolean) => void;
  } | null>(null);
  const form = useContractForm(TokenChargeInput, {
    defaults: {
      amount: failed?.amount ?? "",
      currency: failed?.currency ?? currency,
      title: failed?.title ?? token.title,
      reference: failed?.reference ?? "",
    },
    confirm: (body) => new Promise<boolean>((answer) => setAsked({ body, answer })),
    submit: (body) =>
      charge.send(
        body,
        `The charge of ${displayAmount(body.amount, body.currency)} to ${cardOf(token)}`,
      ),
    onSaved: (payment, go) => {
      tell(payment);
      go(path(`/payments/${payment._id}`));
    },
  });
  return (
    <>
      <Form form={form} label="Charge" className="max-w-3xl gap-5!">
        <LostAnswer call={charge} ran={(payment) => <Ran payment={payment} />} />
        <FieldCards
          cards={{
            charge: {
              title: `Charge to ${methodOf(token) ?? "the saved method"}`,
              description: "The money is taken at once, without the payer.",
            },
          }}
          places={places}
          inputs={inputsOf(form)}
        />
        <div className="flex flex-wrap gap-2">
          <SubmitButton disabled={charge.asking}>Charge…</SubmitButton>
          <LinkButton href={path(`/tokens/${token._id}`)} variant="ghost">
            Cancel
          </LinkButton>
        </div>
      </Form>
      <ConfirmCharge
        token={token}
        charge={asked?.body ?? null}
        onAnswer={(yes) => {
          asked?.answer(yes);
          setAsked(null);
        }}
      />
    </>
  );
}

/** The outcome of a charge after its response was lost. */
function Ran({ payment }: { payment: Payment | null }) {
  if (!payment) return "it was made.";
  return (
    <>
      {collected(payment) ? "the money was collected. " : `${reasonOf(payment)} `}
      <RecordLink to={`/payments/${payment._id}`} text="Show the payment" />
    </>
  );
}

// The call answers with the payment whatever became of it.
function tell(payment: Payment): void {
  const amount = displayAmount(payment.amount, payment.currency);
  if (collected(payment)) notify({ title: `${amount} charged`, tone: "good" });
  else if (payment.status === "failed")
    notify({ title: `${amount} was not charged`, description: reasonOf(payment), tone: "bad" });
  else notify({ title: `${amount} is being charged`, description: reasonOf(payment) });
}

function NotNow({ token, wasOpen }: { token: SeenTokenization; wasOpen: boolean }) {
  const { path } = useScope();
  return (
    <Card>
      <div role={wasOpen ? "alert" : undefined}>
        <p className="font-medium">
          {wasOpen
            ? "This changed while you had it open. The token cannot be charged now"
            : "This token cannot be charged now"}
        </p>
        <p className="mt-0.5 mb-4 text-muted">{meaningOf(token)}</p>
      </div>
      <LinkButton href={path(`/tokens/${token._id}`)}>Back to the token</LinkButton>
    </Card>
  );
}
