"use client";

import { useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { FieldCards } from "@/components/form/field-cards";
import { Form, SubmitButton } from "@/components/form/form";
import { FormPage } from "@/components/form/form-page";
import {
  EmailField,
  PhoneField,
  SelectField,
  TextAreaField,
  TextField,
} from "@/components/form/inputs";
import {
  type ContractForm,
  type FieldName,
  useContractForm,
} from "@/components/form/use-contract-form";
import { useEditForm } from "@/components/form/use-edit-form";
import { LinkButton } from "@/components/ui/link-button";
import { withoutGone } from "@/lib/client/gone";
import { useAction, useEndpoint } from "@/lib/client/hooks";
import { keys } from "@/lib/client/keys";
import { notify } from "@/lib/client/notices";
import { useSameKey } from "@/lib/client/use-same-key";
import { useScope } from "@/lib/client/use-scope";
import { type Customer, CustomerInput, CustomerUpdate } from "@/lib/contract/customers";
import { createCustomer, getCustomer, updateCustomer } from "@/lib/contract/operations";
import { limits } from "@/lib/contract/values";
import { languageOptions } from "./words";

type Name = FieldName<typeof CustomerInput>;
type EditedName = Exclude<FieldName<typeof CustomerUpdate>, "version">;

const cards = { who: { title: "Who" }, own: { title: "For your team", narrow: true } } as const;

const places: Record<Name, keyof typeof cards> = {
  email: "who",
  name: "who",
  phone_no: "who",
  language: "who",
  notes: "own",
};

const inputsOf = (
  form: ContractForm<EditedName>,
  language: string | null,
): Record<EditedName, ReactNode> => ({
  name: (
    <TextField
      form={form}
      name="name"
      label="Name"
      limit={limits.customerName}
      autoComplete="off"
    />
  ),
  phone_no: <PhoneField form={form} name="phone_no" />,
  language: (
    <SelectField
      form={form}
      name="language"
      label="Language"
      none="Not known"
      options={languageOptions(language)}
    />
  ),
  notes: (
    <TextAreaField
      form={form}
      name="notes"
      label="Notes"
      limit={limits.description}
      rows={5}
      hint="Viewers do not see them, and payers never do."
    />
  ),
});

/** A new customer; `email` is known where the page before it had one. */
export function CreateCustomer({ email }: { email: string | null }) {
  const scope = useScope();
  const client = useQueryClient();
  const keyFor = useSameKey();
  const create = useAction(createCustomer, { onProblem: () => undefined });
  const form = useContractForm(CustomerInput, {
    defaults: { email: email ?? "", name: "", phone_no: "", language: "", notes: "" },
    submit: (body) => create.runAsync({ body }, { idempotencyKey: keyFor(body) }),
    onSaved: (made, go) => {
      client.setQueryData(
        keys.call(scope, getCustomer, { params: { customer_id: made._id } }),
        made,
      );
      notify({ title: `${made.name ?? made.email} added`, tone: "good" });
      go(scope.path(`/customers/${made._id}`));
    },
  });
  const back = { href: scope.path("/customers"), label: "Customers" };
  return (
    <FormPage
      title="Add customer"
      description="You don’t have to: the first payment link, token or subscription also creates the customer."
      back={back}
      does={createCustomer}
      what="customers"
    >
      {() => (
        <Form form={form} label="Customer" className="max-w-3xl gap-5!">
          <FieldCards
            cards={cards}
            places={places}
            inputs={{
              ...inputsOf(form, null),
              email: (
                <EmailField
                  form={form}
                  name="email"
                  hint="You can’t change it later: it identifies the customer."
                />
              ),
            }}
          />
          <Buttons save="Add customer" back={back.href} />
        </Form>
      )}
    </FormPage>
  );
}

/** Changes what is known of a customer. */
export function EditCustomer({ id }: { id: string }) {
  const { path } = useScope();
  const answer = withoutGone(useEndpoint(getCustomer, { params: { customer_id: id } }));
  const customer = answer.data;
  const back = { href: path(`/customers/${id}`), label: customer?.name ?? customer?.email ?? "" };
  return (
    <FormPage
      title="Edit customer"
      description={customer?.email}
      back={{ ...back, label: back.label || "Customer" }}
      does={updateCustomer}
      what="customers"
      record={answer}
    >
      {() => customer && <Fields key={id} customer={customer} back={back.href} />}
    </FormPage>
  );
}

const { email: _email, ...editedPlaces } = places;

function Fields({ customer, back }: { customer: Customer; back: string }) {
  const update = useAction(updateCustomer, { onProblem: () => undefined });
  const form = useEditForm(CustomerUpdate, {
    kind: "customer",
    record: customer,
    submit: (body) => update.runAsync({ params: { customer_id: customer._id }, body }),
    onSaved: ({ name, email }, go) => {
      notify({ title: `${name ?? email} saved`, tone: "good" });
      go(back);
    },
  });
  return (
    <Form form={form} label="Customer" className="max-w-3xl gap-5!">
      <FieldCards cards={cards} places={editedPlaces} inputs={inputsOf(form, customer.language)} />
      <Buttons save="Save changes" back={back} />
    </Form>
  );
}

function Buttons({ save, back }: { save: string; back: string }) {
  return (
    <div className="flex flex-wrap gap-2">
      <SubmitButton>{save}</SubmitButton>
      <LinkButton href={back} variant="ghost">
        Cancel
      </LinkButton>
    </div>
  );
}
