import { zodResolver } from "@hookform/resolvers/zod";
import type { FieldValues, Resolver } from "react-hook-form";
import type * as z from "zod";
import { check, laravel, withoutBlanks } from "@/lib/contract/messages";

/** Checks a form by a schema of the contract: the API's rules, its rule for blanks, and for each field exactly its words. */
export function contractResolver(schema: z.ZodObject): Resolver<FieldValues> {
  const byZod: Resolver<FieldValues> = zodResolver(schema, { error: laravel }, { mode: "sync" });
  return async (values, context, options) => {
    const found = await byZod(withoutBlanks(schema, values) as FieldValues, context, options);
    const checked = check(schema, values);
    if (checked.ok) return found;
    // The resolver words a union by one of its branches, where the API has a sentence of its own.
    const errors: Record<string, unknown> = { ...found.errors };
    for (const [name, texts] of Object.entries(checked.errors)) {
      if (name in errors) errors[name] = { ...(errors[name] as object), message: texts.join(" ") };
    }
    return { values: {}, errors: errors as typeof found.errors };
  };
}
