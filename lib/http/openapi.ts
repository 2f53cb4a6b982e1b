import type * as z from "zod";
import { createDocument, type ZodOpenApiObject } from "zod-openapi";
import { programFiles } from "@/lib/contract/all";
import { exampleOrigin } from "@/lib/contract/fields";
import { endpoints } from "@/lib/contract/programs";
import { tags } from "@/lib/contract/tags";
import { env } from "@/lib/env";
import { version } from "@/package.json";
import { headers, operation, responses } from "./openapi-operations";
import { webhooks } from "./openapi-webhooks";

export type OpenApi = ReturnType<typeof createDocument>;

const about = `One JSON API for payment links, saved payment methods and subscriptions.

**Authentication.** \`Authorization: Bearer <API key>\` on every call. A key belongs to one business and to one mode: \`sk_test_…\` never touches live records and the other way round.

**Amounts are in minor units**, never in major ones, of the currency by ISO 4217: 500 is MYR 5.00, JPY 500 and KWD 0.500. Shop plugins made for Swipe or Payje send major units and must not be pointed at this interface.

**Bodies** are one JSON object of at most 64 KiB with \`Content-Type: application/json\`; an empty array counts as \`{}\`. Strings are trimmed; titles, names and references refuse control characters. An optional field that is \`null\` or blank counts as absent. Unknown fields are ignored.

**Answers.** A success is always 200 with \`success\`, \`data\`, \`errors\` and \`meta\`. Fields that are not sent hold null; more fields may be added to answers over time. A 422 has \`message\` and \`errors\` by field; every other failure has \`message\`, \`code\` and empty \`errors\`.

**Mails** to payers are sent where the install has a mail server. In test mode they go only to team members with a confirmed address. All others are kept, to be read in the dashboard.

**Versions.** Payment links, packages, subscriptions, customers and webhook endpoints carry \`version\`, which counts edits of their editable fields; payers and the service itself do not raise it. A write may send the version that it is based on, in the body or as \`If-Match: "7"\`. If the record has another version by now, the write is refused with 409 \`stale_version\`. The answer holds the record (\`current\`) and who edited it last and when (\`changed_by\`, \`changed_at\`).`;

/** Builds the OpenAPI 3.1 document of this install from the declarations of the endpoints and events. */
export function buildOpenApi(): OpenApi {
  const paths: NonNullable<ZodOpenApiObject["paths"]> = {};
  for (const endpoint of [...endpoints, ...programFiles]) {
    paths[endpoint.path] = {
      ...paths[endpoint.path],
      [endpoint.method.toLowerCase()]: operation(endpoint),
    };
  }
  const made = createDocument(
    {
      openapi: "3.1.1",
      info: {
        title: "Kutip API",
        version,
        description: about,
        contact: contact(),
        license: { name: "MIT", identifier: "MIT" },
      },
      servers: [{ url: `${env.BASE_URL}/api` }],
      security: [{ apiKey: [] }],
      tags: tags.map(({ name, text: description }) => ({ name, description })),
      paths,
      webhooks,
      components: {
        headers,
        responses,
        securitySchemes: {
          apiKey: {
            type: "http",
            scheme: "bearer",
            description: "An API key, `sk_test_…` or `sk_live_…`.",
          },
        },
      },
    },
    {
      override: ({ jsonSchema, zodSchema, io }) =>
        tidy(jsonSchema as Shape, zodSchema as unknown as z.ZodType, io),
    },
  );
  const document = JSON.parse(
    JSON.stringify(made).replaceAll(exampleOrigin, env.BASE_URL),
  ) as Document;
  for (const item of Object.values(document.paths))
    for (const { parameters = [] } of Object.values(item))
      for (const parameter of parameters)
        if (!parameter.required) parameter.schema = unfilled(parameter.schema, document);
  return document as unknown as OpenApi;
}

/** The operator, who answers questions about this install. */
function contact() {
  const [first = ""] = env.OPERATOR_CONTACT;
  const name = "The operator of this install";
  return first.startsWith("mailto:")
    ? { name, email: first.slice("mailto:".length), url: env.BASE_URL }
    : { name, url: first || env.BASE_URL };
}

type Shape = Record<string, unknown> & { examples?: unknown };
type Parameter = { required?: boolean; schema: Shape };
type Document = {
  paths: Record<string, Record<string, { parameters?: Parameter[] }>>;
  components: { schemas: Record<string, Shape> };
};

const SCHEMAS = "#/components/schemas/";

/** The schema of an optional parameter, without examples: tools that import the document send every example that they find. */
function unfilled({ examples: _, $ref, ...shape }: Shape, document: Document): Shape {
  if (typeof $ref !== "string") return shape;
  const named = document.components.schemas[$ref.slice(SCHEMAS.length)] ?? {};
  return { ...unfilled(named, document), ...shape };
}

/** Answers may gain fields, whole numbers need no bounds of JavaScript's, and inputs keep the examples that zod drops. */
function tidy(shape: Shape, schema: z.ZodType, io: "input" | "output"): void {
  if (io === "output" && shape.type === "object" && shape.additionalProperties === false)
    delete shape.additionalProperties;
  if (shape.minimum === Number.MIN_SAFE_INTEGER) delete shape.minimum;
  if (shape.maximum === Number.MAX_SAFE_INTEGER) delete shape.maximum;
  const examples = schema.meta()?.examples;
  if (shape.examples === undefined && Array.isArray(examples) && examples.length > 0)
    shape.examples = examples;
}

let kept: { document: OpenApi; text: string } | undefined;

/** The document and its JSON text, built once in a process. */
export function openApi(): { document: OpenApi; text: string } {
  if (!kept) {
    const document = buildOpenApi();
    kept = { document, text: JSON.stringify(document) };
  }
  return kept;
}
