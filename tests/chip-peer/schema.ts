import { readFileSync } from "node:fs";
import path from "node:path";
import * as z from "zod";

type Schema = {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  additionalProperties?: boolean | Schema;
  maxLength?: number;
  minItems?: number;
  uniqueItems?: boolean;
  minimum?: number;
  maximum?: number;
  format?: string;
};
type Operation = { query?: Schema; body?: Schema; answer: Schema; status: number };

const document = z
  .object({
    operations: z.record(z.string(), z.custom<Operation>()),
    schemas: z.record(z.string(), z.custom<Schema>()),
  })
  .parse(JSON.parse(readFileSync(path.join(import.meta.dirname, "openapi.json"), "utf8")));

/** What is wrong with a request's body by the document; null when it fits. A field that the document does not name is wrong too. */
export function wrongRequest(operation: string, body: unknown): string | null {
  const known = document.operations[operation];
  if (!known) return `There is no ${operation}.`;
  if (known.body === undefined) return body === undefined ? null : "This request takes no body.";
  const problem = wrong(known.body, body, "body");
  return problem ?? unnamed(known.body, body, "body");
}

/** What is wrong with the query of a request by the document. */
export function wrongQuery(operation: string, query: URLSearchParams): string | null {
  const schema = document.operations[operation]?.query ?? { properties: {} };
  const given = Object.fromEntries(query);
  return wrong(schema, given, "query") ?? unnamed(schema, given, "query");
}

/** What is wrong with an answer by the document; null when it fits. */
export const wrongAnswer = (operation: string, body: unknown): string | null =>
  wrong(document.operations[operation]?.answer ?? {}, body, "answer");

/** What is wrong with the body of a callback by the document. */
export const wrongCallback = (schema: "PurchaseCallback" | "PaymentCallback", body: unknown) =>
  wrong({ $ref: schema }, body, schema);

/** The status of an operation's good answer. */
export const statusOf = (operation: string): number =>
  document.operations[operation]?.status ?? 200;

const resolved = (schema: Schema): Schema =>
  schema.$ref === undefined ? schema : resolved(document.schemas[schema.$ref] ?? {});

const typeOf = (value: unknown): string => {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return typeof value === "number" && Number.isInteger(value) ? "integer" : typeof value;
};

function wrong(given: Schema, value: unknown, at: string): string | null {
  const schema = resolved(given);
  for (const part of schema.allOf ?? []) {
    const problem = wrong(part, value, at);
    if (problem) return problem;
  }
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices?.every((one) => wrong(one, value, at) !== null))
    return wrong(choices[0] ?? {}, value, at);
  const types = [schema.type ?? []].flat();
  const type = typeOf(value);
  if (
    types.length > 0 &&
    !types.includes(type) &&
    !(type === "integer" && types.includes("number"))
  )
    return `${at} is ${type} instead of ${types.join(" or ")}`;
  if (schema.enum && !schema.enum.includes(value))
    return `${at} is none of ${schema.enum.join(", ")}`;
  if (typeof value === "string") return wrongText(schema, value, at);
  if (typeof value === "number") return wrongNumber(schema, value, at);
  if (Array.isArray(value)) return wrongList(schema, value, at);
  return type === "object" ? wrongFields(schema, value as Record<string, unknown>, at) : null;
}

const formats: Record<string, RegExp> = {
  uuid: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
  email: /^[^@\s]+@[^@\s]+\.[^@\s]+$/,
  phone: /^\+\d{1,3} \d{4,14}$/,
  url: /^https?:\/\/\S+$/,
  "ISO 4217": /^[A-Z]{3}$/,
};

function wrongText({ format, maxLength }: Schema, value: string, at: string): string | null {
  if (maxLength !== undefined && [...value].length > maxLength) return `${at} is too long`;
  const pattern = format === undefined ? undefined : formats[format];
  return pattern && !pattern.test(value) ? `${at} is not of the format ${format}` : null;
}

const wrongNumber = ({ minimum, maximum }: Schema, value: number, at: string) =>
  value < (minimum ?? -Infinity) || value > (maximum ?? Infinity) ? `${at} is out of range` : null;

function wrongList({ items, minItems, uniqueItems }: Schema, value: unknown[], at: string) {
  if (value.length < (minItems ?? 0)) return `${at} has too few items`;
  if (uniqueItems && new Set(value).size < value.length) return `${at} has an item twice`;
  return first(value.map((item, index) => wrong(items ?? {}, item, `${at}[${index}]`)));
}

function wrongFields(schema: Schema, value: Record<string, unknown>, at: string): string | null {
  const missing = schema.required?.find((name) => !(name in value));
  if (missing) return `${at}.${missing} is missing`;
  return first(
    Object.entries(value).map(([name, of]) => {
      const inner = schema.properties?.[name];
      return inner ? wrong(inner, of, `${at}.${name}`) : null;
    }),
  );
}

/** All names of a schema's fields, with those of its parts; null where any are allowed. */
function fieldsOf(given: Schema): Map<string, Schema> | null {
  const schema = resolved(given);
  const parts = [...(schema.allOf ?? []), ...(schema.anyOf ?? [])].map(fieldsOf);
  if (!schema.properties && parts.every((part) => part === null)) return null;
  return new Map([
    ...Object.entries(schema.properties ?? {}),
    ...parts.flatMap((part) => [...(part ?? [])]),
  ]);
}

/** A field that the document does not name, at any depth. */
function unnamed(given: Schema, value: unknown, at: string): string | null {
  const { items } = resolved(given);
  if (Array.isArray(value))
    return first(value.map((item, index) => unnamed(items ?? {}, item, `${at}[${index}]`)));
  const fields = fieldsOf(given);
  if (typeof value !== "object" || value === null || fields === null) return null;
  return first(
    Object.entries(value).map(([name, of]) => {
      const inner = fields.get(name);
      return inner ? unnamed(inner, of, `${at}.${name}`) : `${at}.${name} is not known`;
    }),
  );
}

const first = (problems: Array<string | null>) =>
  problems.find((problem) => problem !== null) ?? null;
