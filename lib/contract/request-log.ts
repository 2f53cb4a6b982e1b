import * as z from "zod";
import { endpoint } from "./endpoint";
import { page } from "./envelope";
import { Timestamp } from "./fields";
import { filters, filterText, listQuery } from "./lists";
import { loggedMethods } from "./values";

const statusClass = z
  .string()
  .regex(/^([2-5]xx|[2-5]\d\d)$/)
  .optional()
  .meta({ description: "A status, or a class of them such as `4xx`." });

const example = {
  _id: "5f0c3a52-9d3e-4f0b-8a55-0c7f1f3a2a11",
  method: "POST",
  path: "/payment-links",
  query: null,
  restricted: false,
  status: 422,
  duration_ms: 4.2,
  caller: "key",
  api_key: { _id: "6740f5d81b2c9e7a04f3d518", name: "Web shop" },
  person: null,
  ip_address: "203.0.113.7",
  user_agent: "curl/8.5.0",
  idempotency_key: null,
  created_at: "2026-11-20T13:34:45.423000Z",
} as const;

export const LoggedRequest = z
  .object({
    _id: z.string().meta({ description: "The answer's `X-Request-Id`." }),
    method: z.string(),
    path: z.string().meta({ description: "Below `/api`; tokens are masked." }),
    query: z.string().nullable(),
    restricted: z.boolean().meta({
      description:
        "Your role may not make this call, or gets less in its answer: its query, idempotency key, headers and bodies are left out.",
    }),
    status: z.int(),
    duration_ms: z.number(),
    caller: z.enum(["key", "person"]),
    api_key: z.object({ _id: z.string(), name: z.string().nullable() }).nullable(),
    person: z.object({ _id: z.string(), name: z.string().nullable() }).nullable(),
    ip_address: z.string(),
    user_agent: z.string().nullable(),
    idempotency_key: z.string().nullable(),
    created_at: Timestamp,
  })
  .meta({ id: "LoggedRequest", examples: [example] });

export const LoggedRequestDetail = LoggedRequest.extend({
  request_headers: z.record(z.string(), z.string()).meta({ description: "Secrets are masked." }),
  request_body: z
    .string()
    .nullable()
    .meta({ description: "As sent, its first 8 KiB, secrets masked." }),
  response_body: z
    .string()
    .nullable()
    .meta({ description: "As answered, its first 8 KiB, secrets masked." }),
}).meta({
  id: "LoggedRequestDetail",
  examples: [
    {
      ...example,
      request_headers: {
        authorization: "Bearer sk_test_…x9Qa",
        "content-type": "application/json",
      },
      request_body: '{"email":"ana"}',
      response_body:
        '{"message":"The given data was invalid.","errors":{"email":["The email must be a valid email address."]}}',
    },
  ],
});

export type LoggedRequest = z.output<typeof LoggedRequest>;
export type LoggedRequestDetail = z.output<typeof LoggedRequestDetail>;

export const RequestLogQuery = listQuery(["created_from", "created_to", "q"], ["-"] as const)
  .omit({ status: true })
  .extend({
    status: statusClass,
    method: z.enum(loggedMethods).optional().meta({ description: "With this method." }),
    path: filterText(200)
      .optional()
      .meta({ description: "Below this path, such as `/payment-links`." }),
    caller: z
      .enum(["key", "person"])
      .optional()
      .meta({ description: "By API keys, or by signed-in staff." }),
    q: filters.q.optional().meta({ description: "The beginning of an id." }),
  });
export type RequestLogQuery = z.output<typeof RequestLogQuery>;

const shared = { tag: "Request log", access: "staff", method: "GET" } as const;

export const listRequestLog = endpoint({
  ...shared,
  id: "listRequestLog",
  path: "/request-log",
  summary: "Calls of this API, newest first",
  query: RequestLogQuery,
  response: page(LoggedRequest),
  description:
    "Kept for 30 days unless REQUEST_LOG_DAYS says otherwise; a call appears within a few seconds. Each web process keeps bursts of 1,000 successful reads and 250 a second; above that not all of them are kept. `q` takes a request id or its beginning.",
});
export const getLoggedRequest = endpoint({
  ...shared,
  id: "getLoggedRequest",
  path: "/request-log/{request_id}",
  summary: "One call with its headers and bodies",
  params: z.object({ request_id: z.uuid() }),
  response: LoggedRequestDetail,
});
