"use client";

import { useController } from "react-hook-form";
import type { ContractForm } from "@/components/form/use-contract-form";
import { useField } from "@/components/form/use-field";
import { Checkbox, RadioGroup } from "@/components/ui/fields";
import { eventTypes } from "@/lib/contract/values";

const all = "*";

const groups = [...new Set(eventTypes.map((type) => type.split(".")[0] ?? ""))].map((noun) => ({
  noun,
  types: eventTypes.filter((type) => type.startsWith(`${noun}.`)),
}));
const readable = (noun: string) =>
  `${noun.charAt(0).toUpperCase()}${noun.slice(1).replaceAll("_", " ")}s`;

/** All types of events, or those that are ticked; the form's value is the list as the API takes it. */
export function EventTypesField({ form }: { form: ContractForm<"events"> }) {
  const { control, error } = useField(form, "events", "Events");
  const { field } = useController({ control, name: "events" });
  const chosen: readonly string[] = Array.isArray(field.value) ? field.value : [all];
  const every = chosen.includes(all);
  const tick = (type: string, on: boolean) =>
    field.onChange(on ? [...chosen, type] : chosen.filter((one) => one !== type));
  return (
    <div className="grid gap-3">
      <RadioGroup
        legend="Events"
        name="which-events"
        options={[
          { value: "all", label: "All of them", hint: "Includes types added later." },
          { value: "some", label: "Only some" },
        ]}
        error={error && (every || chosen.length > 0 ? error : "Choose at least one type.")}
        value={every ? "all" : "some"}
        onChange={(event) => field.onChange(event.target.value === "all" ? [all] : [])}
      />
      {every ? null : (
        <div className="grid gap-4 rounded-control bg-sunken p-4 sm:grid-cols-2">
          {groups.map(({ noun, types }) => (
            <fieldset key={noun}>
              <legend className="mb-1 text-fine text-muted">{readable(noun)}</legend>
              <div className="grid gap-1">
                {types.map((type) => (
                  <Checkbox
                    key={type}
                    label={<code className="font-mono text-fine">{type}</code>}
                    checked={chosen.includes(type)}
                    onChange={(event) => tick(type, event.target.checked)}
                    onBlur={field.onBlur}
                  />
                ))}
              </div>
            </fieldset>
          ))}
        </div>
      )}
    </div>
  );
}
