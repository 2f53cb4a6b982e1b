"use client";

import { useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { FieldCards } from "@/components/form/field-cards";
import { Form, SubmitButton } from "@/components/form/form";
import { FormPage } from "@/components/form/form-page";
import {
  EmailField,
  PhoneField,
  TextAreaField,
  TextField,
  UrlField,
} from "@/components/form/inputs";
import {
  type ContractForm,
  type FieldName,
  useContractForm,
} from "@/components/form/use-contract-form";
import { payerOf, useChosenCustomer } from "@/components/record/use-chosen-customer";
import { NoProvider } from "@/components/record/no-provider";
import { LinkButton } from "@/components/ui/link-button";
import { useAction, useEndpoint } from "@/lib/client/hooks";
import { keys } from "@/lib/client/keys";
import { useSameKey } from "@/lib/client/use-same-key";
import { useScope } from "@/lib/client/use-scope";
import type { Business } from "@/lib/contract/business";
import type { Customer } from "@/lib/contract/customers";
import { createToken, getBusiness, getTokenization } from "@/lib/contract/operations";
import { TokenizationInput } from "@/lib/contract/tokenizations";
import { limits } from "@/lib/contract/values";

/** A new token; `customerId` is of who is to save a method. */
export function IssueToken({ customerId }: { customerId: string | null }) {
  const { path } = useScope();
  const business = useEndpoint(getBusiness, {});
  const customer = useChosenCustomer(customerId);
  return (
    <FormPage
      title="Issue token"
      description="Makes an activation link at which the payer saves a payment method. An unpaid period of their subscription is charged to it at once."
      back={{ href: path("/tokens"), label: "Tokens" }}
      does={createToken}
      what="tokens"
      needs={customerId === null ? [business] : [business, customer]}
    >
      {() => business.data && <Fields business={business.data} customer={customer.data} />}
    </FormPage>
  );
}

type Name = FieldName<typeof TokenizationInput>;

const cards = {
  what: { title: "What the payer reads", narrow: true },
  who: { title: "Who saves a method" },
} as const;

const places: Record<Name, keyof typeof cards> = {
  title: "what",
  description: "what",
  email: "who",
  phone_no: "who",
  redirect_url: "who",
};

const inputsOf = (form: ContractForm<Name>): Record<Name, ReactNode> => ({
  title: (
    <TextField
      form={form}
      name="title"
      label="Title"
      hint="What the method is saved for."
      limit={limits.title}
      autoComplete="off"
    />
  ),
  description: (
    <TextAreaField
      form={form}
      name="description"
      label="Description"
      hint="What you will charge, and how often."
      limit={limits.description}
    />
  ),
  email: (
    <EmailField
      form={form}
      name="email"
      hint="Subscriptions to this address then charge the saved method."
    />
  ),
  phone_no: <PhoneField form={form} name="phone_no" />,
  redirect_url: (
    <UrlField
      form={form}
      name="redirect_url"
      label="Return address"
      className="sm:col-span-2"
      hint="Where the payer goes afterwards; without it, to a thank-you page."
    />
  ),
});

function Fields({ business, customer }: { business: Business; customer: Customer | undefined }) {
  const scope = useScope();
  const client = useQueryClient();
  const keyFor = useSameKey();
  const create = useAction(createToken, { onProblem: () => undefined });
  const form = useContractForm(TokenizationInput, {
    defaults: {
      title: "",
      description: "",
      email: "",
      phone_no: "",
      redirect_url: "",
      ...payerOf(customer),
    },
    submit: (body) => create.runAsync({ body }, { idempotencyKey: keyFor(body) }),
    onSaved: (token, go) => {
      client.setQueryData(
        keys.call(scope, getTokenization, { params: { token: token._id } }),
        token,
      );
      go(scope.path(`/tokens/${token._id}?created=true`));
    },
  });
  return (
    <>
      <NoProvider business={business} what="tokens" />
      <Form form={form} label="Token" className="max-w-3xl gap-5!">
        <FieldCards cards={cards} places={places} inputs={inputsOf(form)} />
        <div className="flex flex-wrap gap-2">
          <SubmitButton>Issue token</SubmitButton>
          <LinkButton href={scope.path("/tokens")} variant="ghost">
            Cancel
          </LinkButton>
        </div>
      </Form>
    </>
  );
}
