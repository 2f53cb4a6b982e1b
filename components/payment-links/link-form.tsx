"use client";

import { useWatch } from "react-hook-form";
import { Form, SubmitButton } from "@/components/form/form";
import { SwitchField, TextAreaField, TextField } from "@/components/form/inputs";
import { MomentField } from "@/components/form/moment-input";
import { AmountField, CurrencyField } from "@/components/form/money-inputs";
import type { ContractForm } from "@/components/form/use-contract-form";
import { LinkButton } from "@/components/ui/button";
import { Card } from "@/components/ui/card";
import { useScope } from "@/lib/client/use-scope";
import type { Business } from "@/lib/contract/business";
import { limits } from "@/lib/contract/values";
import { PayerPreview, type PreviewValues } from "./payer-preview";

type LinkFormProps = {
  form: ContractForm;
  business: Business;
  save: string;
  cancelHref: string;
  mailHint: string;
};

/** The fields of a payment link beside what the payer will see. */
export function LinkForm({ form, business, save, cancelHref, mailHint }: LinkFormProps) {
  const { mode } = useScope();
  const values: PreviewValues = useWatch({ control: form.fields.control });
  return (
    <div className="grid items-start gap-5 xl:grid-cols-[minmax(0,1fr)_25rem]">
      <Form form={form} label="Payment link" className="gap-5!">
        <Card title="What it is for">
          <div className="grid gap-4 sm:grid-cols-2">
            <TextField
              name="title"
              label="Title"
              hint="What the payer reads first."
              maxLength={limits.title}
              className="sm:col-span-2"
              autoComplete="off"
            />
            <AmountField name="amount" label="Amount" />
            <CurrencyField name="currency" />
            <TextAreaField name="description" label="Description" className="sm:col-span-2" />
          </div>
        </Card>
        <Card title="Who pays">
          <div className="grid gap-4 sm:grid-cols-2">
            <TextField
              name="email"
              label="E-mail"
              type="email"
              autoComplete="off"
              inputMode="email"
              spellCheck={false}
            />
            <TextField name="phone_no" label="Phone number" type="tel" autoComplete="off" />
            <SwitchField
              name="send_email"
              label="Send the link by e-mail"
              hint={mailHint}
              className="sm:col-span-2"
            />
          </div>
        </Card>
        <Card title="For your books">
          <div className="grid gap-4 sm:grid-cols-2">
            <TextField
              name="reference"
              label="Reference"
              hint="Shown to the payer and on the receipt."
              maxLength={limits.reference}
              autoComplete="off"
            />
            <TextField
              name="reference_2"
              label="Second reference"
              maxLength={limits.reference}
              autoComplete="off"
            />
            <MomentField
              name="expires_at"
              label="Expires"
              hint="The link takes no money after this, in your time zone."
            />
            <TextField
              name="redirect_url"
              label="Return address"
              hint="Where the payer goes after paying; without it, to a thank-you page."
              type="url"
              inputMode="url"
              placeholder="https://"
              autoComplete="off"
            />
          </div>
        </Card>
        <div className="flex flex-wrap gap-2">
          <SubmitButton>{save}</SubmitButton>
          <LinkButton href={cancelHref} variant="ghost">
            Cancel
          </LinkButton>
        </div>
      </Form>
      <div className="xl:sticky xl:top-[calc(var(--banner)+1.75rem)]">
        <PayerPreview business={business} test={mode === "test"} values={values} />
      </div>
    </div>
  );
}
