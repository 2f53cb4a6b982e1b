"use client";

import { useController } from "react-hook-form";
import type { ContractForm } from "@/components/form/use-contract-form";
import { useField } from "@/components/form/use-field";
import { Checkbox } from "@/components/ui/fields";
import {
  type NotificationChannel,
  type NotificationKind,
  notificationKinds,
} from "@/lib/contract/values";

const words: Record<NotificationKind, { label: string; hint: string }> = {
  payments: { label: "Each payment", hint: "Amount, payer and title, as it arrives." },
  failures: {
    label: "Failures and disputes",
    hint: "Failed charges of saved methods, disputes, failed refunds, and payments that need you.",
  },
  daily: {
    label: "Daily summary",
    hint: "At 8:00 in the business's time zone, about the day before. None for a day without payments and failures.",
  },
};

type KindsFieldProps = {
  form: ContractForm<NotificationChannel>;
  name: NotificationChannel;
  label: string;
  disabled?: boolean;
};

/** What is sent by a channel, ticked one by one. */
export function KindsField({ form, name, label, disabled }: KindsFieldProps) {
  const { control } = useField(form, name, label);
  const { field, fieldState } = useController({ control, name });
  const chosen: readonly string[] = Array.isArray(field.value) ? field.value : [];
  return (
    <fieldset className="grid gap-3">
      <legend className="sr-only">{label}</legend>
      {notificationKinds.map((kind) => (
        <Checkbox
          key={kind}
          {...words[kind]}
          disabled={disabled}
          checked={chosen.includes(kind)}
          onBlur={field.onBlur}
          onChange={({ target }) =>
            field.onChange(
              notificationKinds.filter((one) =>
                one === kind ? target.checked : chosen.includes(one),
              ),
            )
          }
        />
      ))}
      {fieldState.error ? (
        <p role="alert" tabIndex={-1} className="text-fine font-medium text-bad">
          {fieldState.error.message}
        </p>
      ) : null}
    </fieldset>
  );
}
