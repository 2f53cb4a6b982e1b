"use client";

import type { ReactNode } from "react";
import * as z from "zod";
import { FieldCards } from "@/components/form/field-cards";
import { useFieldValues } from "@/components/form/use-field";
import { Form, SubmitButton } from "@/components/form/form";
import { ChoiceField } from "@/components/form/choice-field";
import { EmailField, PhoneField, TextField } from "@/components/form/inputs";
import { CurrencyField } from "@/components/form/money-inputs";
import type { ContractForm, FieldName } from "@/components/form/use-contract-form";
import { useEditForm } from "@/components/form/use-edit-form";
import { useUnsentReason } from "@/components/mails/use-mail-notice";
import { PayerPreview } from "@/components/payment-links/payer-preview";
import { ErrorState } from "@/components/ui/error-state";
import { PageHeader } from "@/components/ui/page-header";
import { Loading, Skeleton } from "@/components/ui/skeleton";
import { useAction, useEndpoint } from "@/lib/client/hooks";
import { notify } from "@/lib/client/notices";
import { useFresh } from "@/lib/client/use-fresh";
import { useMembership } from "@/lib/client/use-me";
import { zoneChoices } from "@/lib/client/zone-choices";
import { useScope } from "@/lib/client/use-scope";
import { type Business, BusinessInput } from "@/lib/contract/business";
import { getBusiness, getMe, updateBusiness } from "@/lib/contract/operations";
import { limits, logoLimits } from "@/lib/contract/values";
import { AccentField } from "./accent-field";
import { type LogoChange, LogoField, logoAfter } from "./logo-field";
import { useSaveLogo } from "./use-save-logo";
import { RemindersField } from "@/components/form/reminders-field";
import { AboutBusiness, BusinessFacts } from "./business-facts";
import { RetryDaysField } from "./retry-days-field";
import { savedNote } from "./saved-note";

/** Who the business is to payers, and its usual zone and currency. */
export function BusinessSettings() {
  const { may } = useMembership();
  const answer = useEndpoint(getBusiness, {});
  const business = answer.data;
  const isFresh = useFresh(answer);
  return (
    <>
      <PageHeader
        title="Business"
        description="What payers see of you on pages, mails and receipts. It is the same in test and live mode."
      />
      {business && isFresh ? (
        may(updateBusiness) ? (
          <Fields key={business.business_id} business={business} />
        ) : (
          <BusinessFacts business={business} />
        )
      ) : answer.error && !business ? (
        <ErrorState error={answer.error} retry={() => void answer.refetch()} />
      ) : (
        <FieldsSkeleton />
      )}
    </>
  );
}

const shown = (values: Record<string, unknown>, name: string): string =>
  typeof values[name] === "string" ? values[name].trim() : "";

/** The logo is saved by a call of its own. */
const BusinessForm = BusinessInput.extend({ logo_change: z.custom<LogoChange>().optional() });

type Name = Exclude<FieldName<typeof BusinessForm>, "version">;
type Inputs = Record<Name, ReactNode>;

const cards = {
  payers: { title: "To payers" },
  staff: { title: "To you" },
};

const places: Record<Name, keyof typeof cards> = {
  name: "payers",
  logo_change: "payers",
  accent: "payers",
  support_email: "payers",
  support_phone: "payers",
  time_zone: "staff",
  default_currency: "staff",
  retry_days: "staff",
  reminders: "staff",
};

const inputsOf = (form: ContractForm<Name>, business: Business, unsent?: string): Inputs => ({
  name: (
    <TextField
      form={form}
      name="name"
      label="Name"
      autoComplete="organization"
      className="sm:col-span-2"
    />
  ),
  logo_change: (
    <LogoField
      form={form}
      name="logo_change"
      label="Logo"
      hint={`On pages, mails and receipts, always on white. PNG, JPEG or WebP, at most ${logoLimits.maxBytes / 1024} KB.`}
      business={business}
    />
  ),
  accent: (
    <div className="sm:col-span-2">
      <AccentField form={form} name="accent" label="Colour" />
    </div>
  ),
  support_email: (
    <EmailField
      form={form}
      name="support_email"
      label="E-mail for questions"
      hint="Payers who need help write here."
    />
  ),
  support_phone: (
    <PhoneField
      form={form}
      name="support_phone"
      label="Phone for questions"
      limit={limits.phoneNo}
    />
  ),
  time_zone: (
    <ChoiceField
      form={form}
      name="time_zone"
      label="Time zone"
      hint="Sets the days of subscriptions, lists and the overview, the dates on receipts, and the months of all statements. Due dates and expiries keep their exact time. In a new zone they may show as another day."
      placeholder="City or area"
      choices={zoneChoices(business.time_zone)}
    />
  ),
  default_currency: (
    <CurrencyField
      form={form}
      name="default_currency"
      label="Default currency"
      hint="Preselected in forms."
    />
  ),
  retry_days: (
    <div className="sm:col-span-2">
      <RetryDaysField
        form={form}
        name="retry_days"
        label="Days on which a failed charge is tried again"
        hint="Counted from the first failure, such as 1, 3, 5, 7. After the last the subscription is halted."
      />
    </div>
  ),
  reminders: (
    <RemindersField
      form={form}
      name="reminders"
      label="Reminders"
      hint={`For payment links that are created with “Send the link by e-mail” from now on. A link may have its own. By e-mail at 09:00 in your time zone, while the link can be paid.${unsent ? ` ${unsent}` : ""}`}
      className="sm:col-span-2"
    />
  ),
});

function Fields({ business }: { business: Business }) {
  const { mode } = useScope();
  const unsent = useUnsentReason();
  const update = useAction(updateBusiness, { invalidates: [getMe], onProblem: () => undefined });
  const saveLogo = useSaveLogo();
  const form = useEditForm(BusinessForm, {
    kind: "business",
    record: business,
    extra: { logo_change: null },
    submit: async ({ logo_change: change, ...body }) => {
      if (!change) return update.runAsync({ body });
      const chosen = form.fields.getValues("logo_change");
      await saveLogo(change);
      return update.runAsync({ body }).catch((problem: unknown) => {
        if (form.fields.getValues("logo_change") === chosen)
          form.fields.resetField("logo_change", { defaultValue: null });
        notify({ title: "The logo is saved", description: "The rest is not yet.", tone: "bad" });
        throw problem;
      });
    },
    spent: { logo_change: null },
    onSaved: (saved) =>
      notify({ title: "Saved", description: savedNote(business, saved), tone: "good" }),
  });
  const values = useFieldValues(form);
  const accent = shown(values, "accent");
  const preview: Business = {
    ...business,
    logo: logoAfter(values.logo_change as LogoChange, business.logo),
    name: shown(values, "name") || business.name,
    default_currency: shown(values, "default_currency") || business.default_currency,
    accent: accent === "" ? null : accent,
    support_email: shown(values, "support_email") || null,
    support_phone: shown(values, "support_phone") || null,
  };
  return (
    <div className="grid items-start gap-5 xl:grid-cols-[minmax(0,1fr)_25rem]">
      <div className="grid gap-5">
        <Form form={form} label="Business" className="gap-5!">
          <FieldCards cards={cards} places={places} inputs={inputsOf(form, business, unsent)} />
          <SubmitButton className="justify-self-start">Save changes</SubmitButton>
        </Form>
      </div>
      <div className="grid gap-5 xl:sticky xl:top-[calc(var(--banner)+1.75rem)]">
        <PayerPreview
          business={preview}
          test={mode === "test"}
          values={{
            title: "Invoice 1042",
            amount: 12_550,
            currency: preview.default_currency,
            description: "Thank you for your order.",
            reference: "INV-1042",
          }}
        />
        <AboutBusiness business={business} />
      </div>
    </div>
  );
}

function FieldsSkeleton() {
  return (
    <Loading label="Loading the business">
      <div className="grid gap-5 xl:grid-cols-[minmax(0,1fr)_25rem]">
        <div className="grid gap-5 rounded-card bg-surface p-5 shadow-sheet">
          <Skeleton className="w-1/4" />
          <Skeleton className="h-9 w-full" />
          <Skeleton className="h-9 w-full" />
          <Skeleton className="h-9 w-full" />
        </div>
        <div className="h-120 rounded-card bg-surface shadow-sheet" />
      </div>
    </Loading>
  );
}
