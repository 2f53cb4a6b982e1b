"use client";

import type { ReactNode } from "react";
import { FirstField } from "@/components/form/first-field";
import { FieldCards } from "@/components/form/field-cards";
import { Form, SubmitButton } from "@/components/form/form";
import {
  EmailField,
  PhoneField,
  SwitchField,
  TextAreaField,
  TextField,
  UrlField,
} from "@/components/form/inputs";
import { useUnsentReason } from "@/components/mails/use-mail-notice";
import { useFieldValues } from "@/components/form/use-field";
import { RemindersField } from "@/components/form/reminders-field";
import { MomentField } from "@/components/form/moment-input";
import { AmountField } from "@/components/form/money-inputs";
import { RecentCurrencyField } from "@/components/form/recent-currency-field";
import type { ContractForm, FieldName } from "@/components/form/use-contract-form";
import { defaultWords } from "@/components/record/reminder-words";
import { Card } from "@/components/ui/card";
import { LinkButton } from "@/components/ui/link-button";
import { useScope } from "@/lib/client/use-scope";
import type { Business } from "@/lib/contract/business";
import type { PaymentLink, PaymentLinkInput } from "@/lib/contract/payment-links";
import { limits } from "@/lib/contract/values";
import { PayerPreview } from "./payer-preview";

type LinkFormProps = {
  form: ContractForm<Name>;
  business: Business;
  /** The link that is edited. */
  link?: PaymentLink;
  save: string;
  cancelHref: string;
  /** When a mail goes, where mails go out. */
  mailHint: string;
  /** The clock that a new link follows, in test mode. */
  clock?: ReactNode;
};

type Name = FieldName<typeof PaymentLinkInput>;

const cards = {
  what: { title: "What it is for" },
  who: { title: "Who pays" },
  books: { title: "For your books" },
};

const places: Record<Name, keyof typeof cards> = {
  title: "what",
  amount: "what",
  currency: "what",
  description: "what",
  email: "who",
  phone_no: "who",
  send_email: "who",
  reference: "books",
  reference_2: "books",
  due_at: "what",
  reminders: "who",
  expires_at: "books",
  redirect_url: "books",
};

/** The fields of a payment link beside what the payer will see. */
export function LinkForm({
  form,
  business,
  link,
  save,
  cancelHref,
  mailHint,
  clock,
}: LinkFormProps) {
  const { mode } = useScope();
  const values = useFieldValues(form);
  const unsent = useUnsentReason();
  const byDefault = link
    ? defaultWords(link.default_reminders)
    : business.reminders.length > 0 && values.send_email !== true
      ? "None unless the link is e-mailed"
      : defaultWords(business.reminders);
  return (
    <div className="grid items-start gap-5 xl:grid-cols-[minmax(0,1fr)_25rem]">
      <FirstField>
        <Form form={form} label="Payment link" className="gap-5!">
          <FieldCards
            cards={cards}
            places={places}
            inputs={inputsOf(form, { mailHint, unsent, byDefault })}
          />
          {clock ? <Card title="Time">{clock}</Card> : null}
          <div className="flex flex-wrap gap-2">
            <SubmitButton>{save}</SubmitButton>
            <LinkButton href={cancelHref} variant="ghost">
              Cancel
            </LinkButton>
          </div>
        </Form>
      </FirstField>
      <div className="xl:sticky xl:top-[calc(var(--banner)+1.75rem)]">
        <PayerPreview business={business} test={mode === "test"} values={values} />
      </div>
    </div>
  );
}

const inputsOf = (
  form: ContractForm<Name>,
  {
    mailHint,
    unsent,
    byDefault,
  }: { mailHint: string; unsent: string | undefined; byDefault: string },
): Record<Name, ReactNode> => ({
  title: (
    <TextField
      form={form}
      name="title"
      label="Title"
      hint="What the payer reads first."
      limit={limits.title}
      className="sm:col-span-2"
      autoComplete="off"
    />
  ),
  amount: <AmountField form={form} name="amount" currency="currency" label="Amount" />,
  currency: <RecentCurrencyField form={form} name="currency" />,
  description: (
    <TextAreaField
      form={form}
      name="description"
      label="Description"
      limit={limits.description}
      className="sm:col-span-2"
    />
  ),
  email: <EmailField form={form} name="email" />,
  phone_no: <PhoneField form={form} name="phone_no" />,
  send_email: (
    <SwitchField
      form={form}
      name="send_email"
      label="Send the link by e-mail"
      hint={unsent ?? mailHint}
      className="sm:col-span-2"
    />
  ),
  reference: (
    <TextField
      form={form}
      name="reference"
      label="Reference"
      hint="Shown to the payer and on the receipt."
      limit={limits.reference}
      autoComplete="off"
    />
  ),
  reference_2: (
    <TextField
      form={form}
      name="reference_2"
      label="Second reference"
      limit={limits.reference}
      autoComplete="off"
    />
  ),
  due_at: (
    <MomentField
      form={form}
      name="due_at"
      label="Due"
      hint="The payer sees this date. The link can still be paid after it."
      past="That has passed: the payment link is overdue."
    />
  ),
  reminders: (
    <RemindersField
      form={form}
      name="reminders"
      label="Reminders"
      hint={`By e-mail at 09:00 in your business’s time zone, while the link can be paid.${unsent ? ` ${unsent}` : ""}`}
      byDefault={byDefault}
      className="sm:col-span-2"
    />
  ),
  expires_at: (
    <MomentField
      form={form}
      name="expires_at"
      label="Expires"
      hint="The link can’t be paid after this."
    />
  ),
  redirect_url: (
    <UrlField
      form={form}
      name="redirect_url"
      label="Return address"
      hint="Where the payer goes after paying; without it, to a thank-you page."
    />
  ),
});
