import { readFileSync } from "node:fs";
import * as z from "zod";

type Schema = {
  $ref?: string;
  type?: string;
  nullable?: boolean;
  enum?: unknown[];
  anyOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  additionalProperties?: boolean | Schema;
  maxLength?: number;
  format?: string;
};
type Operation = { form?: Schema; query?: Record<string, Schema>; answer: Schema };

// From the root: a bundle is in another folder.
const file = "tests/stripe-peer/openapi.json";
const Document = z.object({
  operations: z.record(z.string(), z.custom<Operation>()),
  schemas: z.record(z.string(), z.custom<Schema>()),
});
const document = Document.parse(JSON.parse(readFileSync(file, "utf8")));

/** Parameters that are newer than the document; the types of the `stripe` package know them. */
const newer: Record<string, Record<string, Schema>> = {
  "POST /v1/checkout/sessions": {
    adaptive_pricing: { type: "object", properties: { enabled: { type: "boolean" } } },
    allowed_payment_method_types: { type: "array", items: { type: "string" } },
  },
  "GET /v1/checkout/sessions": {
    created: { type: "object", properties: { gte: { type: "integer" }, lte: { type: "integer" } } },
  },
  "POST /v1/webhook_endpoints": {
    api_version: { enum: ["2026-10-28.endive"] },
    // The document lacks `refund.failed`; the compiler checks each name.
    enabled_events: { type: "array", items: { type: "string" } },
  },
  "POST /v1/payment_intents": {
    automatic_payment_methods: {
      type: "object",
      required: ["enabled"],
      properties: { enabled: { type: "boolean" }, allow_redirects: { enum: ["always", "never"] } },
    },
  },
};

/** `a[b][0]=c` as `{ a: { b: ["c"] } }`. */
export function parseForm(text: string): Record<string, unknown> {
  const root: Record<string, unknown> = {};
  for (const [name, value] of new URLSearchParams(text)) {
    const keys = name.replaceAll("]", "").split("[");
    let at: Record<string, unknown> = root;
    keys.forEach((key, index) => {
      if (index === keys.length - 1) at[key] = value;
      else at = at[key] = (at[key] ?? {}) as Record<string, unknown>;
    });
  }
  return lists(root) as Record<string, unknown>;
}

function lists(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  const keys = Object.keys(value);
  const items = keys.map((key) => lists((value as Record<string, unknown>)[key]));
  if (keys.length > 0 && keys.every((key, index) => key === String(index))) return items;
  return Object.fromEntries(keys.map((key, index) => [key, items[index]]));
}

/** What is wrong with the parameters of a request, in Stripe's way: an unknown one is an error, at every depth. */
export function wrongRequest(
  operation: string,
  parameters: Record<string, unknown>,
): string | null {
  const known = document.operations[operation];
  if (!known) return `Unrecognized request URL (${operation}).`;
  const schema: Schema = operation.startsWith("GET")
    ? { type: "object", properties: known.query ?? {}, additionalProperties: false }
    : (known.form ?? {});
  return wrong(
    { ...schema, properties: { ...schema.properties, ...newer[operation] } },
    parameters,
    "",
    true,
  );
}

/** What is wrong with an object by the document's schema of that name. */
export const wrongObject = (name: string, value: unknown): string | null =>
  wrong({ $ref: name }, value, name, false);

/** In a request every scalar is text. */
function wrong(schema: Schema, value: unknown, at: string, sent: boolean): string | null {
  if (schema.$ref !== undefined) return wrong(document.schemas[schema.$ref] ?? {}, value, at, sent);
  if (value === null)
    return schema.nullable || Object.keys(schema).length === 0 ? null : `${at} is null`;
  if (schema.anyOf)
    return schema.anyOf.some((one) => wrong(one, value, at, sent) === null)
      ? null
      : (wrong(schema.anyOf[0] ?? {}, value, at, sent) ?? `${at} fits nothing`);
  if (schema.enum && !schema.enum.includes(value))
    return `Invalid ${at}: must be one of ${schema.enum.join(", ")}`;
  if (schema.type === "object") return wrongFields(schema, value, at, sent);
  if (schema.type === "array")
    return Array.isArray(value)
      ? first(value.map((item, index) => wrong(schema.items ?? {}, item, `${at}[${index}]`, sent)))
      : `Invalid array: ${at}`;
  return wrongScalar(schema, value, at, sent);
}

function wrongFields(schema: Schema, value: unknown, at: string, sent: boolean): string | null {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return `Invalid object: ${at}`;
  const { properties = {}, required = [], additionalProperties } = schema;
  const missing = required.find((name) => !(name in value));
  if (missing) return `Missing required param: ${at}[${missing}]`;
  return first(
    Object.entries(value).map(([name, of]) => {
      const inner =
        properties[name] ??
        (typeof additionalProperties === "object" ? additionalProperties : undefined);
      if (inner) return wrong(inner, of, at ? `${at}[${name}]` : name, sent);
      return sent && schema.properties
        ? `Received unknown parameter: ${at ? `${at}[${name}]` : name}`
        : null;
    }),
  );
}

function wrongScalar(
  { type, maxLength }: Schema,
  value: unknown,
  at: string,
  sent: boolean,
): string | null {
  if (type === undefined) return null;
  const text = String(value);
  if (type === "string")
    return (sent || typeof value === "string") &&
      typeof value !== "object" &&
      text.length <= (maxLength ?? Number.POSITIVE_INFINITY)
      ? null
      : `Invalid string: ${at}`;
  if (type === "integer")
    return (sent ? /^-?\d{1,15}$/.test(text) : Number.isInteger(value))
      ? null
      : `Invalid integer: ${at}`;
  if (type === "boolean")
    return (sent ? text === "true" || text === "false" : typeof value === "boolean")
      ? null
      : `Invalid boolean: ${at}`;
  return null;
}

const first = (problems: Array<string | null>) =>
  problems.find((problem) => problem !== null) ?? null;
