"use client";

import { type ReactNode, use, useEffect } from "react";
import { useFormContext } from "react-hook-form";
import * as z from "zod";
import { FormSchema } from "./form";

export type Own = { name: string; label: string; hint?: ReactNode; className?: string };

/** What a field needs from its form. A name the schema does not have is a mistake of ours. */
export function useField(name: string, label: string) {
  useFieldLabel(name, label);
  const { register, formState, control } = useFormContext();
  const shape: Record<string, unknown> | undefined = use(FormSchema)?.schema.shape;
  if (!shape || !(name in shape)) throw new Error(`the form's schema has no field ${name}`);
  const message = formState.errors[name]?.message;
  return {
    register,
    control,
    error: typeof message === "string" ? message : undefined,
    optional: shape[name] instanceof z.ZodOptional,
  };
}

/** Lets the form name a field as the page does. */
export function useFieldLabel(name: string, label: string): void {
  const labels = use(FormSchema)?.labels;
  useEffect(() => void labels?.set(name, label), [labels, name, label]);
}
