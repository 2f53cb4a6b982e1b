"use client";

import { useState } from "react";
import { Controller, useWatch } from "react-hook-form";
import type * as z from "zod";
import { Form, SubmitButton } from "@/components/form/form";
import { CheckboxField } from "@/components/form/inputs";
import { MomentField } from "@/components/form/moment-input";
import { useContractForm } from "@/components/form/use-contract-form";
import { useField } from "@/components/form/use-field";
import { Button } from "@/components/ui/button";
import { Field, Input, RadioGroup } from "@/components/ui/fields";
import { useEndpoint } from "@/lib/client/hooks";
import { batchLimits } from "@/lib/contract/batch-values";
import { BatchInput } from "@/lib/contract/batches";
import { listPaymentLinks } from "@/lib/contract/operations";

const ByDays = BatchInput.pick({ extend_days: true })
  .required()
  .extend(BatchInput.pick({ move_due: true }).shape);
const ToMoment = BatchInput.pick({ expires_at: true })
  .required()
  .extend(BatchInput.pick({ shorten: true }).shape);
type Extension = z.output<typeof ByDays> | z.output<typeof ToMoment>;

type ExtendFormProps = {
  /** The filters that find the links. */
  which: Readonly<Record<string, string>>;
  onSubmit: (extension: Extension) => Promise<unknown>;
  onClose: () => void;
};

const ways = [
  { value: "days", label: "More time for each", hint: "Added to the link’s own expiry." },
  { value: "moment", label: "One expiry for all", hint: "Due dates stay." },
];

/** Gives payment links more time: a number of days each, or one expiry for all. */
export function ExtendForm(props: ExtendFormProps) {
  const [way, setWay] = useState("days");
  return (
    <div className="grid gap-4">
      <RadioGroup
        legend="Give"
        name="way"
        options={ways}
        value={way}
        onChange={(event) => setWay(event.target.value)}
      />
      {/* Both stay, so that neither forgets what was typed. */}
      <div hidden={way !== "days"}>
        <DaysForm {...props} />
      </div>
      <div hidden={way !== "moment"}>
        <MomentForm {...props} />
      </div>
    </div>
  );
}

function DaysForm({ which, onSubmit, onClose }: ExtendFormProps) {
  const form = useContractForm(ByDays, {
    defaults: { extend_days: 7, move_due: true },
    submit: onSubmit,
    onSaved: () => undefined,
  });
  const { error, control } = useField(form, "extend_days", "Days");
  const movesDue = useWatch({ control: form.fields.control, name: "move_due" });
  const count = useEndless(which);
  return (
    <Form form={form} label="Extend payment links">
      <Controller
        control={control}
        name="extend_days"
        render={({ field }) => (
          <Field
            label="Days"
            hint="Links that have expired get so many days from now."
            error={error}
            required
          >
            <Input
              className="w-28"
              type="number"
              inputMode="numeric"
              min={1}
              max={batchLimits.extendDays}
              name={field.name}
              value={String(field.value ?? "")}
              onBlur={field.onBlur}
              onChange={({ target }) =>
                field.onChange(target.value === "" ? "" : Number(target.value))
              }
            />
          </Field>
        )}
      />
      <CheckboxField
        form={form}
        name="move_due"
        label="Move due dates too"
        hint="The dates that payers read. One that has passed counts from now."
      />
      <Endless count={count} fate={movesDue ? "due" : "stay"} />
      <Ending onClose={onClose} />
    </Form>
  );
}

function MomentForm({ which, onSubmit, onClose }: ExtendFormProps) {
  const form = useContractForm(ToMoment, {
    defaults: { expires_at: "", shorten: false },
    submit: onSubmit,
    onSaved: () => undefined,
  });
  const shorten = useWatch({ control: form.fields.control, name: "shorten" });
  const count = useEndless(which);
  return (
    <Form form={form} label="Extend payment links">
      <MomentField form={form} name="expires_at" label="New expiry" />
      <Endless count={count} fate={shorten ? "shorten" : "stay"} />
      <CheckboxField
        form={form}
        name="shorten"
        label="Change links that never expire, or expire later, too"
        hint="They then have less time than now."
      />
      <Ending onClose={onClose} />
    </Form>
  );
}

/** How many of the links are open and never expire; null where they could not be counted. */
function useEndless(which: ExtendFormProps["which"]): number | null {
  const { data, error } = useEndpoint(
    listPaymentLinks,
    { query: { ...which, open: "true", has_expiry: "false", page: 1, per_page: 1 } },
    { enabled: which.open !== "false" },
  );
  if (data && "total" in data) return data.total;
  return error ? null : 0;
}

/** What happens to open payment links that never expire: of one, and of several. */
const fates = {
  stay: ["stays as it is", "stay as they are"],
  due: ["gets a later due date, if it has one", "get a later due date, if they have one"],
  shorten: [
    "gets this expiry too, unless it belongs to a subscription, is being paid or is due later",
    "get this expiry too, except those that belong to a subscription, are being paid or are due later",
  ],
} as const;
type EndlessProps = { count: number | null; fate: keyof typeof fates };

export function Endless({ count, fate }: EndlessProps) {
  return (
    <p role="status" className="text-note empty:hidden">
      {count === 0 ? null : endlessWords(count, fates[fate])}
    </p>
  );
}

function endlessWords(count: number | null, [one, many]: readonly [string, string]): string {
  if (count === 1) return `1 open payment link never expires. It ${one}.`;
  return count === null
    ? `Open payment links that never expire ${many}.`
    : `${count.toLocaleString("en-GB")} open payment links never expire. They ${many}.`;
}

function Ending({ onClose }: Pick<ExtendFormProps, "onClose">) {
  return (
    <div className="flex flex-wrap justify-end gap-2">
      <Button onClick={onClose}>Cancel</Button>
      <SubmitButton>Extend</SubmitButton>
    </div>
  );
}
