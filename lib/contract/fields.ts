import * as z from "zod";
import { currencyCodes, currencyDigits } from "@/lib/kernel/currencies";
import { mustBeBoolean, rule } from "./messages";
import { calendar, erasedEmail, limits, modes } from "./values";

declare module "zod/v4/core" {
  /** Examples in `.meta()` have the type of their schema, so that the compiler names each one that lacks a new field. */
  interface GlobalMeta {
    examples?: z.core.$input[] | undefined;
  }
}

/** The origin in examples; the reference page shows the install's own instead. */
export const exampleOrigin = "https://pay.example";

/** For `.meta()`: the JSON Schema as programs see it, where zod would describe its own steps. Keeps description and examples. */
export const documented = (shape: Record<string, unknown>) => ({
  override: ({ jsonSchema }: { jsonSchema: Record<string, unknown> }) => {
    for (const key of Object.keys(jsonSchema))
      if (key !== "description" && key !== "examples") delete jsonSchema[key];
    Object.assign(jsonSchema, shape);
  },
});

/** Text on one line, of at most `max` Unicode code points. */
const text = (max: number) => limited(filled(), max, hasControls);

/** The same with line breaks. */
const lines = (max: number) => limited(filled(), max, () => false);

const filled = () => z.string().min(1, { abort: true });

// C0, DEL and C1, and the marks that reorder the text around them. U+200E and U+200F stay: right-to-left text needs them.
const controls = /[\p{Cc}\u202a-\u202e\u2066-\u2069]/u;
const hasControls = (value: string) => controls.test(value);

function limited<T extends z.ZodType<string>>(
  schema: T,
  max: number,
  refused: (value: string) => boolean,
) {
  return schema
    .superRefine((value, context) => {
      if (value.length > max && [...value].length > max)
        context.addIssue({
          code: "too_big",
          origin: "string",
          maximum: max,
          inclusive: true,
          input: value,
        });
      if (refused(value))
        context.addIssue({ code: "custom", params: { rule: "characters" }, input: value });
    })
    .meta({ maxLength: max });
}

/** The text fields that programs also send as a JSON number. A body is read with the digits of these as they were sent: 1.50 is not 1.5. */
export const numbersKeptAsText: readonly string[] = ["reference", "reference_2", "phone_no"];

export const Id = z
  .string()
  .regex(/^[0-9a-f]{24}$/)
  .meta({
    id: "Id",
    description: "24 lowercase hexadecimal characters.",
    examples: ["6740f1c09a3be27d51c8e4f0"],
  });

export const Mode = z.enum(modes);

const addressText = z.string().min(1, { abort: true }).max(limits.email, { abort: true });

const atom = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+";
const label = "[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?";
const topLevel = "(?:[A-Za-z]{2,63}|[Xx][Nn]--[A-Za-z0-9-]{0,58}[A-Za-z0-9])";
const plainAddress = new RegExp(`^${atom}(?:\\.${atom})*@(?:${label}\\.)+${topLevel}$`);

// The placeholder for erased payers is refused: everything with it would become one customer, who cannot be erased.
export const Email = rule(
  addressText.pipe(z.email({ pattern: plainAddress })),
  "erased",
  (address) => address.toLowerCase() !== erasedEmail,
).meta({
  id: "Email",
  description: `One plain address, not \`${erasedEmail}\`; kept as sent, compared without case.`,
  examples: ["ana@example.com"],
  maxLength: limits.email,
});

/** The address of a person who signs in. The sign-in library takes no others, so an account of another address could never be opened. */
export const AccountEmail = addressText
  .pipe(z.email())
  .meta({ examples: ["ana@example.com"], maxLength: limits.email });

/** A required name of at most `max` characters, on one line. */
export const Name = (max: number) => text(max);

export const Title = text(limits.title).meta({
  id: "Title",
  description: "What the payer reads first.",
  examples: ["Invoice 1042"],
});

/** The name of a file, as the person's computer has it. */
export const FileName = text(limits.fileName);

/** A remark for the business alone; line breaks are kept. */
export const Note = lines(limits.note);

export const Description = lines(limits.description).meta({
  id: "Description",
  description: "Free text; line breaks are kept.",
});

export const Reference = text(limits.reference).meta({
  id: "Reference",
  description: "A JSON number is kept as a string, as it was sent.",
  examples: ["INV-1042"],
  ...documented({ type: ["string", "number"], maxLength: limits.reference }),
});

export const SheetName = text(255);

export const PhoneNo = text(limits.phoneNo).meta({
  id: "PhoneNo",
  description: "Free text; a JSON number is kept as a string, as it was sent.",
  examples: ["+60123456789"],
  ...documented({ type: ["string", "number"], maxLength: limits.phoneNo }),
});

/** An amount of a program that counts in major units: it has a decimal point, or commas. A fraction that a double cannot hold is NaN. */
const looksMajor = (value: unknown): boolean =>
  typeof value === "number"
    ? !Number.isInteger(value) && Math.abs(value) !== Number.POSITIVE_INFINITY
    : typeof value === "string" && /^\d[\d,]*[.,]\d+$/.test(value);

const wholeAmount = z.union([
  rule(z.number(), "integer", Number.isInteger),
  z
    .string()
    .regex(/^\d{1,9}$/)
    .transform(Number),
]);

const minorUnits = (min: number) =>
  (
    z.unknown().superRefine((value, context) => {
      if (!looksMajor(value)) return;
      for (const rule of ["integer", "minor_units"])
        context.addIssue({ code: "custom", params: { rule }, input: value });
    }) as unknown as z.ZodType<number | string, number | string>
  )
    .pipe(wholeAmount)
    .pipe(z.number().min(min).max(limits.amountMax));

const documentedAmount = (minimum: number) =>
  documented({
    anyOf: [
      { type: "integer", minimum, maximum: limits.amountMax },
      { type: "string", pattern: "^[0-9]{1,9}$" },
    ],
  });

export const MinorAmount = minorUnits(limits.amountMin).meta({
  id: "MinorAmount",
  description:
    "**Minor units**, never major ones, of the currency by ISO 4217: 500 is MYR 5.00, JPY 500 and KWD 0.500. A JSON integer, or a string of digits.",
  examples: [1250],
  ...documentedAmount(limits.amountMin),
});

/** What is given back may be less than a payment may be. */
export const RefundAmount = minorUnits(1).meta({
  id: "RefundAmount",
  description:
    "**Minor units**, never major ones, of the payment's currency. A JSON integer, or a string of digits.",
  examples: [500],
  ...documentedAmount(1),
});

export const Currency = rule(
  z.string().min(1, { abort: true }),
  "selected",
  (code) => currencyDigits(code) !== undefined,
).meta({
  id: "Currency",
  description: "Three-letter uppercase ISO 4217 code of a currency in circulation.",
  enum: [...currencyCodes],
  examples: ["MYR"],
});

/** Absolute http(s) without credentials; normalised, but an address that only lacks the root slash comes back unchanged. */
export const WebUrl = rule(
  z.string().min(1, { abort: true }),
  "url",
  (value) => normalUrl(value) !== undefined,
)
  .superRefine((value, context) => {
    const length = Math.max(value.length, normalUrl(value)?.length ?? 0);
    if (length > limits.url)
      context.addIssue({
        code: "too_big",
        origin: "string",
        maximum: limits.url,
        inclusive: true,
        input: value,
      });
  })
  .transform((value) => normalUrl(value) as string)
  .meta({
    id: "WebUrl",
    description: "An absolute http or https address without credentials.",
    examples: ["https://shop.example/thanks"],
    ...documented({ type: "string", format: "uri", maxLength: limits.url }),
  });

function normalUrl(value: string): string | undefined {
  // URL drops tabs and line ends, turns backslashes into slashes and skips surplus slashes: such an address is not what it looks like.
  if (!/^https?:\/\/[^\s\\\p{Cc}/][^\s\\\p{Cc}]*$/iu.test(value) || !URL.canParse(value))
    return undefined;
  const url = new URL(value);
  if (url.username || url.password || !url.hostname || /^https?:\/\/[^/?#]*@/i.test(value))
    return undefined;
  return url.href === `${value}/` ? value : url.href;
}

/** Laravel's booleans: true, false, 0, 1 and those as strings. */
export const Flag = rule(
  z.union([z.boolean(), z.number(), z.string()], { error: mustBeBoolean }),
  "boolean",
  (value) => [true, false, 0, 1, "0", "1", "true", "false"].includes(value),
)
  .transform((value) => value === true || value === 1 || value === "1" || value === "true")
  .meta({
    id: "Flag",
    ...documented({ type: "boolean" }),
    description: "true or false; 0, 1 and those as strings are taken too.",
  });

// Postgres knows no year 0, and a zone can push a moment out of the four digits.
const moment = rule(
  z.string().pipe(z.iso.datetime({ offset: true })),
  "date",
  (value) => utcMicros(value) !== undefined,
).transform((value) => utcMicros(value) as string);

/** A moment in UTC with all its digits up to six: what an answer gave can be sent back unchanged. */
function utcMicros(value: string): string | undefined {
  const utc = new Date(value);
  if (Number.isNaN(utc.getTime()) || utc.getUTCFullYear() < 1 || utc.getUTCFullYear() > 9999)
    return undefined;
  const fraction = /\.(\d+)/.exec(value)?.[1] ?? "";
  return `${utc.toISOString().slice(0, 19)}.${fraction.slice(0, 6).padEnd(6, "0")}Z`;
}

const dateTime = documented({ type: "string", format: "date-time" });

const day = rule(z.string().pipe(z.iso.date()), "date", (value) => !value.startsWith("0000"));

// Both begin with the day, so comparing texts compares days.
const notAfter = <T extends z.ZodType<string>>(schema: T): T =>
  rule(schema, "not_after", (value) => value.slice(0, 10) <= calendar.last);
const withinCalendar = <T extends z.ZodType<string>>(schema: T): T =>
  notAfter(rule(schema, "not_before", (value) => value >= calendar.first));

const years = `${calendar.first.slice(0, 4)} to ${calendar.last.slice(0, 4)}`;

/** A moment with zone, kept in UTC with six digits, in years that can be counted on from. */
export const Moment = withinCalendar(moment).meta({
  ...dateTime,
  description: `ISO 8601 with a zone; years ${years}.`,
  examples: ["2027-01-31T12:00:00Z"],
});

/** That it is in the future is checked by the database's clock, where the record is written. */
export const FutureMoment = notAfter(moment).meta({
  id: "FutureMoment",
  ...dateTime,
  description: `ISO 8601 with a zone, in the future, at most ${calendar.last}.`,
  examples: ["2027-01-31T12:00:00Z"],
});

const dayShape = documented({ type: "string", format: "date" });

/** A calendar day that exists, `YYYY-MM-DD`, in years that can be counted on from. */
export const Day = withinCalendar(day).meta({
  id: "Day",
  description: `A date, \`YYYY-MM-DD\`; years ${years}.`,
  examples: ["2027-01-31"],
  ...dayShape,
});

/** Filters only compare: programs write "always" as the first or last day there is. */
export const AnyDay = day;
export const AnyMoment = moment;

/** A moment in answers: `YYYY-MM-DDTHH:MM:SS.ffffffZ`. */
export const Timestamp = z.string().meta({
  id: "Timestamp",
  format: "date-time",
  description: "ISO 8601, UTC, six digits after the second.",
  examples: ["2026-11-20T13:34:45.423258Z"],
});

/** An address in answers. */
export const UrlOut = z.string().meta({ format: "uri" });

/** A currency in answers. */
export const CurrencyOut = z.string().meta({ description: "Three-letter ISO 4217 code." });

export const BusinessId = z.int().meta({ description: "The owning business." });

/** An amount in answers: a JSON integer of minor units. */
export const AmountOut = z.int().meta({
  id: "Amount",
  description: "Minor units of the currency by ISO 4217.",
  examples: [1250],
});

/** The same amount for people: the currency's own digits, no grouping. */
export const AmountDecimal = z.string().meta({
  id: "AmountDecimal",
  description: "The amount in major units, in the currency's own digits.",
  examples: ["12.50"],
});
