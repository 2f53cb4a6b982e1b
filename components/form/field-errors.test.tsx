import type { ReactNode } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { type FieldValues, useForm } from "react-hook-form";
import { expect, test } from "vitest";
import * as z from "zod";
import { EventTypesField } from "@/components/webhooks/event-types-field";
import { CheckboxField, RadioField, SwitchField, TextField } from "./inputs";
import { RemindersField } from "./reminders-field";
import type { ContractForm } from "./use-contract-form";

const schema = z.object({ events: z.unknown() });
const errors = { events: { type: "server", message: "It is refused." } };
const options = [
  { value: "one", label: "One" },
  { value: "two", label: "Two" },
];

type Draw = (form: ContractForm<"events">) => ReactNode;

function Refused({ draw }: { draw: Draw }) {
  const fields = useForm<FieldValues>({ defaultValues: { events: ["*"] }, errors });
  return draw({ schema, fields, labels: new Map() } as unknown as ContractForm<"events">);
}

const drawings: readonly [name: string, draw: Draw][] = [
  ["text", (form) => <TextField form={form} name="events" label="Events" hint="Some." />],
  ["choice", (form) => <RadioField form={form} name="events" label="Events" options={options} />],
  ["tick box", (form) => <CheckboxField form={form} name="events" label="Events" hint="Some." />],
  ["switch", (form) => <SwitchField form={form} name="events" label="Events" />],
  ["reminders", (form) => <RemindersField form={form} name="events" label="Events" />],
  ["types of events", (form) => <EventTypesField form={form} />],
];

test.each(drawings)(
  "a refused field (%s) has a control that can be focused and reads its error",
  (_, draw) => {
    const html = renderToStaticMarkup(<Refused draw={draw} />);
    const control = /<(?:input|select)[^>]*aria-invalid="true"[^>]*>/.exec(html)?.[0] ?? "";
    const ids = /aria-describedby="([^"]+)"/.exec(control)?.[1]?.split(" ") ?? [];
    const texts = ids.map((id) => new RegExp(`id="${id}"[^>]*>([^<]*)<`).exec(html)?.[1]);
    expect(texts).toContain("It is refused.");
  },
);
