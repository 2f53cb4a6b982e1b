import * as z from "zod";
import type {
  ZodOpenApiOperationObject,
  ZodOpenApiParameterObject,
  ZodOpenApiResponseObject,
} from "zod-openapi";
import type { Endpoint } from "@/lib/contract/endpoint";
import { envelope, Failure, ValidationError } from "@/lib/contract/envelope";
import { exampleAnswer, exampleBody, exampleStale } from "@/lib/contract/examples";
import { canBeInvalid, type Failing, failuresOf, wrongMethod } from "@/lib/contract/failures";
import { staleVersion, versionedRecord } from "@/lib/contract/versions";

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

/** Headers of answers, under `components`. */
export const headers = {
  RequestId: text("Names this request in our logs.", "5f0c3a52-9d3e-4f0b-8a55-0c7f1f3a2a11"),
  RateLimit: count(
    "Requests a minute that this key has; in a 429, what the limit that was reached allows; in a 401, those of this address that may fail authentication.",
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

const idempotencyKey: ZodOpenApiParameterObject = {
  name: "Idempotency-Key",
  in: "header",
  required: false,
  description:
    "1 to 255 visible characters of your choice. The same request with the same key within 72 hours gets the stored answer and does nothing again; the key with another body is a 422. `<string>`, which Postman fills in on import, counts as no key.",
  schema: { type: "string", minLength: 1, maxLength: 255 },
};

const ifMatch: ZodOpenApiParameterObject = {
  name: "If-Match",
  in: "header",
  required: false,
  description:
    "The `version` that this write is based on, in double quotes. If the record has another one by now, the answer is 409 `stale_version`. Another header than one version or `*` is a 400. `<string>`, which Postman fills in on import, counts as none. Together with `version` in the body both must be the same.",
  schema: { type: "string" },
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
        schema: stale ? z.union([staleVersion(versionedRecord(endpoint)), Failure]) : Failure,
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

const refOf = (name: keyof typeof responses) => ({ $ref: `#/components/responses/${name}` });

/** Answers that many operations share, under `components`. */
export const responses = {
  Invalid: {
    description: "Fields are missing or wrong: all of them at once, each with all its texts.",
    headers: always,
    content: { "application/json": { schema: ValidationError } },
  },
  MethodNotAllowed: {
    description: `\`${wrongMethod.code}\`: ${wrongMethod.when}`,
    headers: {
      "X-Request-Id": ref("RequestId"),
      Allow: text("The methods that the address takes.", "GET, POST"),
    },
    content: {
      "application/json": {
        schema: Failure,
        example: { message: wrongMethod.message, code: wrongMethod.code, errors: {} },
      },
    },
  },
} satisfies Record<string, ZodOpenApiResponseObject>;

const BINARY = { type: "string" as const, format: "binary" };

/** A success: the envelope, or a file. */
function done(endpoint: Endpoint): ZodOpenApiResponseObject {
  const { media, method, response } = endpoint;
  if (media === undefined)
    return {
      description: "Done.",
      headers: {
        ...always,
        ...(method === "GET" ? {} : { "Idempotent-Replayed": ref("Replayed") }),
      },
      content: {
        "application/json": { schema: envelope(response), example: exampleAnswer(endpoint) },
      },
    };
  const isText = media.startsWith("text/") || media.endsWith("+xml");
  return {
    description: "The file.",
    headers: {
      ...always,
      "Content-Disposition": text("The name of a file that is to be saved."),
    },
    content: { [media]: { schema: isText ? { type: "string" } : BINARY } },
  };
}

/** An endpoint as the document describes it. */
export function operation(endpoint: Endpoint): ZodOpenApiOperationObject {
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
      "200": done(endpoint),
      "405": refOf("MethodNotAllowed"),
      ...(canBeInvalid(endpoint) ? { "422": refOf("Invalid") } : {}),
      ...failures(endpoint),
    },
  };
}
