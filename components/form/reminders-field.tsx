"use client";

import { Plus, X } from "lucide-react";
import { useId } from "react";
import { Controller } from "react-hook-form";
import { Button, IconButton } from "@/components/ui/button";
import { describedBy, Input, Select } from "@/components/ui/fields";
import type { Reminder } from "@/lib/contract/reminders";
import { limits } from "@/lib/contract/values";
import { type Own, useField } from "./use-field";

type When = "created" | "before" | "after";
/** A row while it is written: the number may be missing. */
type Row = { when: When; count: string };

const whens = [
  { value: "created", label: "days after it is created" },
  { value: "before", label: "days before it is due" },
  { value: "after", label: "days after it is due" },
] as const satisfies readonly { value: When; label: string }[];

const rowOf = ({ days, relative_to: base }: Reminder): Row => ({
  when: base === "created_at" ? "created" : days < 0 ? "before" : "after",
  count: Number.isNaN(days) ? "" : String(Math.abs(days)),
});

const reminderOf = ({ when, count }: Row): Reminder => {
  const days = count === "" ? Number.NaN : Number(count);
  return {
    days: when === "before" && days > 0 ? -days : days,
    relative_to: when === "created" ? "created_at" : "due_at",
  };
};

/** When the payer is reminded. With `byDefault` no schedule of its own is a choice too, named by this text. */
export function RemindersField<Name extends string>({
  form,
  name,
  label,
  hint,
  className,
  byDefault,
}: Own<Name> & { byDefault?: string }) {
  const { control, error } = useField(form, name, label);
  return (
    <Controller
      control={control}
      name={name}
      render={({ field }) => (
        <Reminders
          label={label}
          hint={hint}
          error={error}
          className={className}
          byDefault={byDefault}
          value={field.value}
          onChange={field.onChange}
        />
      )}
    />
  );
}

function Reminders({
  label,
  hint,
  error,
  className,
  byDefault,
  value,
  onChange,
}: Pick<Own<string>, "label" | "hint" | "className"> & {
  error: string | undefined;
  byDefault: string | undefined;
  value: unknown;
  onChange: (value: unknown) => void;
}) {
  const id = useId();
  const list = Array.isArray(value) ? (value as Reminder[]) : [];
  const choice = !Array.isArray(value) ? "default" : list.length === 0 ? "never" : "days";
  const add = () => onChange([...list, { days: list.length + 1, relative_to: "created_at" }]);
  const put = (at: number, row: Row) =>
    onChange(list.map((one, index) => (index === at ? reminderOf(row) : one)));
  return (
    <fieldset className={className}>
      <legend className="mb-1.5 font-medium">{label}</legend>
      <div className="grid gap-2">
        <Select
          aria-label={label}
          {...describedBy(id, error, hint)}
          value={choice}
          onChange={(event) => {
            if (event.target.value === "default") onChange("");
            else if (event.target.value === "never") onChange([]);
            else add();
          }}
        >
          {byDefault === undefined ? null : <option value="default">{byDefault}</option>}
          <option value="never">Never</option>
          <option value="days">On these days</option>
        </Select>
        {list.map((one, at) => {
          const row = rowOf(one);
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows have no identity but their place
            <div key={at} className="flex items-center gap-2">
              <Input
                aria-label={`Days of reminder ${at + 1}`}
                className="w-20"
                type="number"
                inputMode="numeric"
                min={row.when === "created" ? 1 : 0}
                max={limits.reminderDays}
                value={row.count}
                onChange={(event) => put(at, { ...row, count: event.target.value })}
              />
              <Select
                aria-label={`Counted from, reminder ${at + 1}`}
                className="min-w-0 flex-1"
                value={row.when}
                onChange={(event) => put(at, { ...row, when: event.target.value as When })}
              >
                {whens.map((when) => (
                  <option key={when.value} value={when.value}>
                    {when.label}
                  </option>
                ))}
              </Select>
              <IconButton
                label={`Remove reminder ${at + 1}`}
                onClick={() => onChange(list.filter((_, index) => index !== at))}
              >
                <X aria-hidden="true" />
              </IconButton>
            </div>
          );
        })}
        {list.length > 0 && list.length < limits.reminders ? (
          <Button size="small" className="justify-self-start" onClick={add}>
            <Plus aria-hidden="true" className="size-3.5" />
            Add a reminder
          </Button>
        ) : null}
      </div>
      {hint ? (
        <p id={`${id}-hint`} className="mt-1.5 text-fine text-muted">
          {hint}
        </p>
      ) : null}
      {error ? (
        <p id={`${id}-error`} className="mt-1.5 text-fine font-medium text-bad">
          {error}
        </p>
      ) : null}
    </fieldset>
  );
}
