"use client";

import { ChoiceField } from "@/components/form/choice-field";
import type { ContractForm } from "@/components/form/use-contract-form";
import { zoneChoices } from "@/lib/client/zone-choices";

/** The time zone of a new business, where that of the browser is refused. */
export function TimeZone({ form }: { form: ContractForm<"time_zone"> }) {
  return (
    <ChoiceField
      form={form}
      name="time_zone"
      label="Time zone"
      placeholder="City or area"
      choices={zoneChoices("UTC")}
    />
  );
}
