import "./zod-in-pages";
import * as z from "zod";
import type { FieldErrors } from "@/lib/kernel/problem";
import { label } from "./field-label";
import { calendar } from "./values";

/** A rule that zod does not have. It has a name, so that its wording stays in this file. */
export type Rule =
  | "selected"
  | "boolean"
  | "url"
  | "format"
  | "integer"
  | "minor_units"
  | "numeric_order"
  | "date"
  | "not_before"
  | "not_after"
  | "characters"
  | "erased"
  | "guessable"
  | "distinct"
  | "reminder_days";

/** `schema.refine` with a named rule; later checks on the same field are skipped once it fails. */
export function rule<T extends z.ZodType>(
  schema: T,
  name: Rule,
  test: (value: z.output<T>) => boolean,
): T {
  return schema.refine(test, { params: { rule: name }, abort: true }) as T;
}

const words: Record<Rule, (field: string) => string> = {
  selected: (field) => `The selected ${field} is invalid.`,
  boolean: (field) => `The ${field} field must be true or false.`,
  url: (field) => `The ${field} must be a valid URL.`,
  format: (field) => `The ${field} format is invalid.`,
  integer: (field) => `The ${field} must be an integer.`,
  minor_units: (field) =>
    `The ${field} is in minor units of the currency: send 1250 for MYR 12.50.`,
  numeric_order: (field) => `The ${field} range is invalid.`,
  date: (field) => `The ${field} is not a valid date.`,
  not_before: (field) => `The ${field} must be a date after or equal to ${calendar.first}.`,
  not_after: (field) => `The ${field} must be a date before or equal to ${calendar.last}.`,
  guessable: (field) => `The ${field} is too easy to guess.`,
  distinct: (field) => `The ${field} field has a duplicate value.`,
  reminder_days: (field) =>
    `The ${field} must be at least 1 day after the payment link is created.`,
  erased: (field) => `The ${field} is the placeholder for erased payers.`,
  characters: (field) => `The ${field} must not contain control characters.`,
};

const formats: Record<string, string> = { email: "a valid email address", url: "a valid URL" };
const dates = ["datetime", "date"];
const article = (noun: string) => `${/^[aeiou]/.test(noun) ? "an" : "a"} ${noun}`;
const characters = (count: unknown) => `${count} character${Number(count) === 1 ? "" : "s"}`;

/** Laravel's wording for zod's issues; the one error map, given to every parse. */
export const laravel: z.core.$ZodErrorMap = (issue) => {
  const field = label(issue.path ?? []);
  const absent = issue.input === undefined || issue.input === null;
  switch (issue.code) {
    case "invalid_type":
      if (absent) return `The ${field} field is required.`;
      if (issue.expected === "boolean") return words.boolean(field);
      return `The ${field} must be ${["int", "number", "bigint"].includes(issue.expected) ? "an integer" : article(issue.expected)}.`;
    case "invalid_union":
      return absent ? `The ${field} field is required.` : words.integer(field);
    case "invalid_value":
      return absent ? `The ${field} field is required.` : words.selected(field);
    case "too_small":
      if (issue.origin === "string")
        return issue.minimum === 1
          ? `The ${field} field is required.`
          : `The ${field} must be at least ${characters(issue.minimum)}.`;
      if (issue.origin === "array")
        return `The ${field} must have at least ${issue.minimum} items.`;
      return `The ${field} must be at least ${issue.minimum}.`;
    case "too_big":
      if (issue.origin === "string")
        return `The ${field} must not be greater than ${characters(issue.maximum)}.`;
      if (issue.origin === "array")
        return `The ${field} must not have more than ${issue.maximum} items.`;
      return `The ${field} must not be greater than ${issue.maximum}.`;
    case "invalid_format":
      if (dates.includes(issue.format)) return words.date(field);
      return formats[issue.format]
        ? `The ${field} must be ${formats[issue.format]}.`
        : words.format(field);
    case "custom": {
      const name = issue.params?.rule as Rule | undefined;
      return name ? words[name](field) : undefined;
    }
    default:
      return undefined;
  }
};

/** For unions of ways to write a moment or day. */
export const mustBeDate: z.core.$ZodErrorMap = (issue) =>
  issue.code === "invalid_union" ? words.date(label(issue.path ?? [])) : undefined;

/** For unions of ways to write yes and no. */
export const mustBeBoolean: z.core.$ZodErrorMap = (issue) =>
  issue.code === "invalid_union" && issue.input !== undefined && issue.input !== null
    ? words.boolean(label(issue.path ?? []))
    : undefined;

/** A subscription's status takes only the words for cancelling; the text lists them. */
export const cancelWords: z.core.$ZodErrorMap = (issue) =>
  issue.code === "invalid_value"
    ? `The selected ${label(issue.path ?? [])} is invalid. Allowed: cancel, cancelled, canceled.`
    : undefined;

/** Blanks around an amount are an error, and those of a password are part of it. */
const isKeptWhole = (name: string) => name === "amount" || /(^|_)password$/.test(name);

function trimmed(name: string, value: unknown): unknown {
  if (typeof value === "string") return isKeptWhole(name) ? value : value.trim();
  if (Array.isArray(value)) return value.map((one: unknown) => trimmed(name, one));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, trimmed(key, one)]));
}

/**
 * Trims every text. An optional field that is null or blank counts as absent; where null is a value (a nullable field) a blank becomes
 * null.
 */
export function withoutBlanks(schema: z.ZodType, input: unknown): unknown {
  if (
    !(schema instanceof z.ZodObject) ||
    typeof input !== "object" ||
    input === null ||
    Array.isArray(input)
  )
    return input;
  const cleaned: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(schema.shape as Record<string, z.ZodType>)) {
    if (!Object.hasOwn(input, name)) continue;
    const value = trimmed(name, (input as Record<string, unknown>)[name]);
    const blank = value === null || (typeof value === "string" && value.trim() === "");
    if (!blank) cleaned[name] = value;
    else if (field instanceof z.ZodOptional && field.unwrap() instanceof z.ZodNullable)
      cleaned[name] = null;
  }
  return cleaned;
}

/** The valid fields of an input that is invalid as a whole. */
export function validFields(
  schema: z.ZodType | undefined,
  input: unknown,
): Record<string, unknown> {
  const cleaned = schema && withoutBlanks(schema, input);
  if (
    !(schema instanceof z.ZodObject) ||
    typeof cleaned !== "object" ||
    cleaned === null ||
    Array.isArray(cleaned)
  )
    return {};
  const results = Object.entries(schema.shape as Record<string, z.ZodType>).map(
    ([name, field]) => [name, field.safeParse((cleaned as Record<string, unknown>)[name])] as const,
  );
  return Object.fromEntries(
    results.flatMap(([name, { success, data }]) =>
      success && data !== undefined ? [[name, data]] : [],
    ),
  );
}

export type Checked<T> = { ok: true; data: T } | { ok: false; errors: FieldErrors };

/** Validates by the contract: all fields and all violations at once, in the 422's words. Unknown fields are dropped. */
export function check<T extends z.ZodType>(schema: T, input: unknown): Checked<z.output<T>> {
  const result = schema.safeParse(withoutBlanks(schema, input), { error: laravel });
  if (result.success) return { ok: true, data: result.data };
  const errors: FieldErrors = {};
  const ofAnotherType = new Set<string>();
  for (const issue of result.error.issues) {
    const name = issue.path.map(String).join(".") || "body";
    // zod measures the length of a text where a list is wanted.
    if (ofAnotherType.has(name)) continue;
    if (issue.code === "invalid_type") ofAnotherType.add(name);
    const texts = (errors[name] ??= []);
    if (!texts.includes(issue.message)) texts.push(issue.message);
  }
  return { ok: false, errors };
}
