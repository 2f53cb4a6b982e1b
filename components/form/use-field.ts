"use client";

import { type ReactNode, useEffect } from "react";
import { useWatch } from "react-hook-form";
import * as z from "zod";
import { inFormWords } from "./error-words";
import type { ContractForm } from "./use-contract-form";

/** What every field of a form takes. A name that the form does not have is a compile error. */
export type Own<Name extends string> = {
  form: ContractForm<Name>;
  name: Name;
  label: string;
  hint?: ReactNode;
  className?: string;
};

/** What a field needs of its form; the form then names the field by `label`. */
export function useField<Name extends string>(
  { fields, schema, labels }: ContractForm<Name>,
  name: Name,
  label: string,
) {
  useEffect(() => {
    labels.set(name, label);
    return () => void labels.delete(name);
  }, [labels, name, label]);
  const problem: unknown = fields.formState.errors[name];
  const inThisForm = (text: string | undefined) => text && inFormWords(text, name, label);
  // The library writes values into the elements, which the server does not have.
  const initial: unknown = fields.formState.defaultValues?.[name];
  return {
    register: fields.register,
    initial,
    control: fields.control,
    error: inThisForm(messageOf(problem)),
    optional: schema.shape[name] instanceof z.ZodOptional,
  };
}

/** The value of a field as it is now. */
export function useFieldValue<Name extends string>(form: ContractForm<Name>, name: Name): unknown {
  return useWatch({ control: form.fields.control, name });
}

/** The values of all fields as they are now. */
export function useFieldValues<Name extends string>(
  form: ContractForm<Name>,
): { readonly [K in Name]?: unknown } {
  return useWatch({ control: form.fields.control }) as { [K in Name]?: unknown };
}

/** The message of an error; the error of a list may be on one of its items, or on a field of one. */
function messageOf(error: unknown): string | undefined {
  if (typeof error !== "object" || error === null) return undefined;
  if ("message" in error && typeof error.message === "string") return error.message;
  if (Array.isArray(error)) return messageOf(error.find(Boolean));
  const [inner] = Object.values(error).filter((one) => typeof one === "object" && one !== null);
  return "message" in error || "ref" in error ? undefined : messageOf(inner);
}
