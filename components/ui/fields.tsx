"use client";

import { createContext, type ComponentProps, type ReactNode, use, useId } from "react";
import { cx } from "./cx";

/** What ties a control to the error and the hint beside it, which have the ids `…-error` and `…-hint`. */
export const describedBy = (id: string, error: unknown, hint: unknown) => ({
  "aria-describedby":
    [error && `${id}-error`, hint && `${id}-hint`].filter(Boolean).join(" ") || undefined,
  "aria-invalid": error ? true : undefined,
});

type Names = { id: string; described: ReturnType<typeof describedBy>; required: boolean };
const FieldNames = createContext<Names | null>(null);

type FieldProps = {
  label: string;
  hint?: ReactNode;
  error?: string | readonly string[];
  required?: boolean;
  optional?: boolean;
  children: ReactNode;
  className?: string;
  hideLabel?: boolean;
};

/** Label, hint and errors around one control of this file, which reads its id and description from context. */
export function Field({
  label,
  hint,
  error,
  required = false,
  optional = false,
  children,
  className,
  hideLabel = false,
}: FieldProps) {
  const id = useId();
  const errors = typeof error === "string" ? [error] : (error ?? []);
  const described = describedBy(id, errors.length > 0, hint);
  return (
    <div className={cx("min-w-0", className)}>
      <label htmlFor={id} className={hideLabel ? "sr-only" : "mb-1 block font-medium"}>
        {label}
        {optional ? <span className="font-normal text-muted"> · optional</span> : null}
      </label>
      <FieldNames value={{ id, described, required }}>{children}</FieldNames>
      {errors.length > 0 ? (
        <p id={`${id}-error`} className="mt-1 text-fine font-medium text-bad">
          {errors.join(" ")}
        </p>
      ) : null}
      {hint ? (
        <p id={`${id}-hint`} className="mt-1 text-fine text-muted">
          {hint}
        </p>
      ) : null}
    </div>
  );
}

function useNames(id: string | undefined) {
  const names = use(FieldNames);
  return {
    id: id ?? names?.id,
    ...names?.described,
    "aria-required": names?.required || undefined,
  };
}

export function Input({ className, id, ...rest }: ComponentProps<"input">) {
  return <input {...useNames(id)} {...rest} className={cx("control", className)} />;
}

export function Textarea({ className, id, ...rest }: ComponentProps<"textarea">) {
  return <textarea rows={3} {...useNames(id)} {...rest} className={cx("control", className)} />;
}

export type Option = { value: string; label: string };
type SelectProps = ComponentProps<"select"> & { options?: readonly Option[] };

/** The system's own list: by far the best on a phone, and typing in it finds an entry. */
export function Select({ className, id, options, children, ...rest }: SelectProps) {
  return (
    <select {...useNames(id)} {...rest} className={cx("control", className)}>
      {options?.map(({ value, label }) => (
        <option key={value} value={value}>
          {label}
        </option>
      ))}
      {children}
    </select>
  );
}

type Tick = { label: ReactNode; hint?: ReactNode; error?: string };
type TickProps = Omit<ComponentProps<"input">, "type"> & Tick;

/** A tick box with its own label. */
export function Checkbox({ label, hint, error, className, ...rest }: TickProps) {
  const id = useId();
  return (
    <label className={cx("flex min-h-6 items-start gap-2.5", className)}>
      <input
        type="checkbox"
        {...describedBy(id, error, hint)}
        {...rest}
        className="mt-0.5 size-4.5 shrink-0 accent-fill"
      />
      <TickText id={id} label={label} hint={hint} error={error} />
    </label>
  );
}

// A native checkbox exposes its own state.
const asSwitch = { role: "switch" };

/** An on/off switch with its label, for what takes effect at once. */
export function Switch({ label, hint, error, className, ...rest }: TickProps) {
  const id = useId();
  return (
    <label className={cx("flex min-h-6 items-start gap-3", className)}>
      <input
        type="checkbox"
        {...asSwitch}
        {...describedBy(id, error, hint)}
        {...rest}
        className="relative mt-px h-5.5 w-9.5 shrink-0 appearance-none rounded-full border border-edge bg-sunken transition-colors before:absolute before:top-[3px] before:left-[3px] before:size-3.5 before:rounded-full before:bg-edge before:transition-transform checked:border-fill-edge checked:bg-fill checked:before:translate-x-4 checked:before:bg-on-fill disabled:opacity-60"
      />
      <TickText id={id} label={label} hint={hint} error={error} />
    </label>
  );
}

function TickText({ id, label, hint, error }: Tick & { id: string }) {
  return (
    <span>
      {label}
      {error ? (
        <span id={`${id}-error`} className="block text-fine font-medium text-bad">
          {error}
        </span>
      ) : null}
      {hint ? (
        <span id={`${id}-hint`} className="block text-fine text-muted">
          {hint}
        </span>
      ) : null}
    </span>
  );
}

type RadioProps = Omit<ComponentProps<"input">, "type"> & {
  legend: string;
  options: readonly (Option & { hint?: string })[];
  name: string;
  error?: string;
};

/** One of a few, all visible. Props go to each radio, so that a form's `register` can be spread into it. */
export function RadioGroup({
  legend,
  options,
  error,
  className,
  defaultValue,
  value,
  ...rest
}: RadioProps) {
  const id = useId();
  const chosen = (option: string) =>
    value === undefined
      ? { defaultChecked: defaultValue === option }
      : { checked: value === option };
  return (
    <fieldset className={className}>
      <legend className="mb-1.5 font-medium">{legend}</legend>
      <div className="grid gap-2">
        {options.map((option) => (
          <label
            key={option.value}
            className="flex min-h-6 items-start gap-2.5 rounded-control border border-line px-3 py-2 has-checked:border-fill-edge has-checked:bg-accent-soft"
          >
            <input
              type="radio"
              value={option.value}
              {...chosen(option.value)}
              {...describedBy(id, error, undefined)}
              {...rest}
              className="mt-0.5 size-4 shrink-0 accent-fill"
            />
            <span>
              {option.label}
              {option.hint ? (
                <span className="block text-fine text-muted">{option.hint}</span>
              ) : null}
            </span>
          </label>
        ))}
      </div>
      {error ? (
        <p id={`${id}-error`} className="mt-1 text-fine font-medium text-bad">
          {error}
        </p>
      ) : null}
    </fieldset>
  );
}
