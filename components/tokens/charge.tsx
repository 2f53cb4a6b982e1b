"use client";

import { Form, SubmitButton } from "@/components/form/form";
import { FormPage } from "@/components/form/form-page";
import { TextField } from "@/components/form/inputs";
import { AmountField, CurrencyField } from "@/components/form/money-inputs";
import { useContractForm } from "@/components/form/use-contract-form";
import { collected, reasonOf } from "@/components/payments/words";
import { LinkButton } from "@/components/ui/button";
import { Card } from "@/components/ui/card";
import { useAction, useEndpoint } from "@/lib/client/hooks";
import { notify } from "@/lib/client/notices";
import { useSameKey } from "@/lib/client/use-same-key";
import { useScope } from "@/lib/client/use-scope";
import { chargeToken, getBusiness, getTokenization, listPayments } from "@/lib/contract/operations";
import type { Payment } from "@/lib/contract/payments";
import { TokenChargeInput, type SeenTokenization } from "@/lib/contract/tokenizations";
import { limits } from "@/lib/contract/values";
import { displayAmount } from "@/lib/kernel/money";
import { meaningOf, methodOf } from "./words";

/** Charges a saved payment method. */
export function ChargeToken({ id }: { id: string }) {
  const { path } = useScope();
  const business = useEndpoint(getBusiness, {});
  const token = useEndpoint(getTokenization, { params: { token: id } });
  return (
    <FormPage
      title="Charge token"
      description={token.data ? `“${token.data.title}” of ${token.data.email}.` : undefined}
      back={{ href: path(`/tokens/${id}`), label: token.data?.title ?? "Token" }}
      does={chargeToken}
      what="charges"
      needs={[business, token]}
    >
      {() =>
        token.data &&
        business.data &&
        (token.data.status === "active" ? (
          <Fields token={token.data} currency={business.data.default_currency} />
        ) : (
          <NotNow token={token.data} />
        ))
      }
    </FormPage>
  );
}

function Fields({ token, currency }: { token: SeenTokenization; currency: string }) {
  const { path } = useScope();
  const keyFor = useSameKey();
  const charge = useAction(chargeToken, {
    invalidates: [listPayments],
    onProblem: () => undefined,
  });
  const form = useContractForm(TokenChargeInput, {
    defaults: { amount: "", currency, title: token.title, reference: "" },
    submit: (body) =>
      charge.runAsync({ params: { token: token._id }, body }, { idempotencyKey: keyFor(body) }),
    onSaved: (payment, go) => {
      tell(payment);
      go(path(`/payments/${payment._id}`));
    },
  });
  return (
    <Form form={form} label="Charge" className="max-w-3xl gap-5!">
      <Card
        title={`Charged to ${methodOf(token) ?? "the saved method"}`}
        description="The money is taken at once, without the payer."
      >
        <div className="grid gap-4 sm:grid-cols-2">
          <AmountField name="amount" label="Amount" />
          <CurrencyField name="currency" />
          <TextField
            name="title"
            label="Title"
            hint="What it is for, as the payer reads it."
            maxLength={limits.title}
            autoComplete="off"
          />
          <TextField
            name="reference"
            label="Reference"
            maxLength={limits.reference}
            autoComplete="off"
          />
        </div>
      </Card>
      <div className="flex flex-wrap gap-2">
        <SubmitButton>Charge now</SubmitButton>
        <LinkButton href={path(`/tokens/${token._id}`)} variant="ghost">
          Cancel
        </LinkButton>
      </div>
    </Form>
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

function NotNow({ token }: { token: SeenTokenization }) {
  const { path } = useScope();
  return (
    <Card>
      <p className="font-medium">This token cannot be charged now</p>
      <p className="mt-0.5 mb-4 text-muted">{meaningOf(token)}</p>
      <LinkButton href={path(`/tokens/${token._id}`)}>Back to it</LinkButton>
    </Card>
  );
}
