import * as z from "zod";
import {
  createDocument,
  type ZodOpenApiObject,
  type ZodOpenApiOperationObject,
  type ZodOpenApiResponseObject,
} from "zod-openapi";
import { endpoints } from "@/lib/contract/programs";
import type { Endpoint } from "@/lib/contract/endpoint";
import { envelope, Failure, ValidationError } from "@/lib/contract/envelope";
import { exampleAnswer, exampleBody, exampleStale } from "@/lib/contract/examples";
import { canBeInvalid, type Failing, failuresOf } from "@/lib/contract/failures";
import { exampleOrigin } from "@/lib/contract/fields";
import { tags } from "@/lib/contract/tags";
import { staleVersion } from "@/lib/contract/versions";
import { env } from "@/lib/env";
import { version } from "@/package.json";

export type OpenApi = ReturnType<typeof createDocument>;

const about = `One JSON API for payment links, saved payment methods and subscriptions.

**Authentication.** \`Authorization: Bearer <API key>\` on every call. A key belongs to one business and to one mode: \`sk_test_…\` never touches live records and the other way round.

**Amounts are in minor units**, never in major ones, of the currency by ISO 4217: 500 is MYR 5.00, JPY 500 and KWD 0.500. Shop plugins made for Swipe or Payje send major units and must not be pointed at this interface.

**Bodies** are one JSON object of at most 64 KiB with \`Content-Type: application/json\`; an empty array counts as \`{}\`. Strings are trimmed; titles, names and references refuse control characters. An optional field that is \`null\` or blank counts as absent. Unknown fields are ignored.

**Answers.** A success is always 200 with \`success\`, \`data\`, \`errors\` and \`meta\`. Fields that are not sent hold null; more fields may be added to answers over time. A 422 has \`message\` and \`errors\` by field; every other failure has \`message\`, \`code\` and empty \`errors\`.

**Versions.** Payment links, packages, subscriptions, customers and webhook endpoints carry \`version\`, which counts edits of their editable fields; payers and the service itself do not raise it. A write may send the version that it is based on, in the body or as \`If-Match: "7"\`. If the record has another version by now, the write is refused with 409 \`stale_version\`. The answer holds the record (\`current\`) and who edited it last and when (\`changed_by\`, \`changed_at\`).`;

const text = (description: string, example?: string) => ({
  description,
  schema: { type: "string" as const },
  ...(example === undefined ? {} : { example }),
});
const count = (description: string, example: number) => ({
  description,
  schema: { type: "integer" as const },
  example,
});

const headers = {
  RequestId: text("Names this request in our logs.", "5f0c3a52-9d3e-4f0b-8a55-0c7f1f3a2a11"),
  RateLimit: count(
    "Requests a minute that this key has; in a 401, those of this address that may fail authentication.",
    1000,
  ),
  RateRemaining: count("Those left of this minute.", 998),
  RetryAfter: count("Seconds after which another try makes sense.", 1),
  Replayed: text(
    "`true` when this is the stored answer to an earlier request with the same Idempotency-Key.",
    "true",
  ),
  Authenticate: text("How to authenticate.", "Bearer"),
};
const ref = (name: keyof typeof headers) => ({ $ref: `#/components/headers/${name}` });
const always = {
  "X-Request-Id": ref("RequestId"),
  "X-RateLimit-Limit": ref("RateLimit"),
  "X-RateLimit-Remaining": ref("RateRemaining"),
};

const idempotencyKey = {
  name: "Idempotency-Key",
  in: "header" as const,
  required: false,
  description:
    "1 to 255 visible characters of your choice. The same request with the same key within 72 hours gets the stored answer and does nothing again; the key with another body is a 422.",
  schema: { type: "string" as const, minLength: 1, maxLength: 255, pattern: "^[!-~]+$" },
  example: "order-1042",
};

const ifMatch = {
  name: "If-Match",
  in: "header" as const,
  required: false,
  description:
    "The `version` that this write is based on, in double quotes. If the record has another one by now, the answer is 409 `stale_version`; another header than one version or `*` is a 400. Together with `version` in the body both must be the same.",
  schema: { type: "string" as const, pattern: '^("[0-9]{1,10}"|\\*)$' },
  example: '"7"',
};

function failed(endpoint: Endpoint, status: number, list: Failing[]): ZodOpenApiResponseObject {
  const stale = list.some(({ code }) => code === "stale_version");
  const retry =
    list.some(({ code }) => code === "idempotency_in_progress") || status === 429 || status === 503;
  return {
    description: list.map(({ code, when }) => `\`${code}\`: ${when}`).join("\n\n"),
    headers: {
      ...always,
      ...(status === 401 ? { "WWW-Authenticate": ref("Authenticate") } : {}),
      ...(retry ? { "Retry-After": ref("RetryAfter") } : {}),
    },
    content: {
      "application/json": {
        schema: stale ? z.union([staleVersion(endpoint.response), Failure]) : Failure,
        examples: Object.fromEntries(
          list.map(({ code, message }) => [
            code,
            {
              value: {
                message,
                code,
                errors: {},
                ...(code === "stale_version" ? exampleStale(endpoint) : {}),
              },
            },
          ]),
        ),
      },
    },
  };
}

function failures(endpoint: Endpoint): Record<string, ZodOpenApiResponseObject> {
  const byStatus = Map.groupBy(failuresOf(endpoint), ({ status }) => status);
  return Object.fromEntries(
    [...byStatus].map(([status, list]) => [String(status), failed(endpoint, status, list)]),
  );
}

const invalid: ZodOpenApiResponseObject = {
  id: "Invalid",
  description: "Fields are missing or wrong: all of them at once, each with all its texts.",
  headers: always,
  content: { "application/json": { schema: ValidationError } },
};

function operation(endpoint: Endpoint): ZodOpenApiOperationObject {
  const writes = endpoint.method !== "GET";
  const body = exampleBody(endpoint);
  return {
    operationId: endpoint.id,
    tags: [endpoint.tag],
    summary: endpoint.summary,
    ...(endpoint.description ? { description: endpoint.description } : {}),
    ...(endpoint.access === "public" ? { security: [] } : {}),
    requestParams: {
      ...(endpoint.params ? { path: endpoint.params as z.ZodObject } : {}),
      ...(endpoint.query ? { query: endpoint.query as z.ZodObject } : {}),
    },
    ...(writes ? { parameters: [idempotencyKey, ...(endpoint.versioned ? [ifMatch] : [])] } : {}),
    ...(endpoint.body
      ? {
          requestBody: {
            required: endpoint.mayBeEmpty !== true,
            content: {
              "application/json": { schema: endpoint.body, ...(body ? { example: body } : {}) },
              ...(endpoint.takesCsv
                ? {
                    "text/csv": {
                      schema: {
                        type: "string" as const,
                        description:
                          "A header row with the names of the fields, then one row each.",
                      },
                    },
                  }
                : {}),
            },
          },
        }
      : {}),
    responses: {
      "200": {
        description: "Done.",
        headers: { ...always, ...(writes ? { "Idempotent-Replayed": ref("Replayed") } : {}) },
        content: {
          "application/json": {
            schema: envelope(endpoint.response),
            example: exampleAnswer(endpoint),
          },
        },
      },
      ...(canBeInvalid(endpoint) ? { "422": invalid } : {}),
      ...failures(endpoint),
    },
  };
}

type Shape = Record<string, unknown> & { examples?: unknown };

/** Builds the OpenAPI 3.1 document of this install from the one list of endpoints. */
export function buildOpenApi(): OpenApi {
  const paths: NonNullable<ZodOpenApiObject["paths"]> = {};
  for (const endpoint of endpoints) {
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
        license: { name: "MIT", identifier: "MIT" },
      },
      servers: [{ url: `${env.BASE_URL}/api` }],
      security: [{ apiKey: [] }],
      tags: tags.map(({ name, text: description }) => ({ name, description })),
      paths,
      components: {
        headers,
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
  return JSON.parse(JSON.stringify(made).replaceAll(exampleOrigin, env.BASE_URL)) as OpenApi;
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
