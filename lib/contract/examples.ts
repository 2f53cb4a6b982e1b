import * as z from "zod";
import type { Endpoint } from "./endpoint";
import { exampleOrigin } from "./fields";
import { versionedRecord } from "./versions";

const first = (schema: z.ZodType): unknown =>
  (schema.meta()?.examples as readonly unknown[] | undefined)?.[0];

/** The example body of an endpoint, as its schema declares it; undefined where there is no body. */
export function exampleBody(endpoint: Endpoint): Record<string, unknown> | undefined {
  return endpoint.body && (first(endpoint.body) as Record<string, unknown> | undefined);
}

/** Example path parameters, by name. */
export function exampleParams(endpoint: Endpoint): Record<string, string> {
  if (!(endpoint.params instanceof z.ZodObject)) return {};
  return Object.fromEntries(
    Object.entries(endpoint.params.shape as Record<string, z.ZodType>).map(([name, schema]) => [
      name,
      String(first(schema) ?? name),
    ]),
  );
}

function exampleData(endpoint: Endpoint): unknown {
  const { response } = endpoint;
  const own = first(response);
  if (own !== undefined || !(response instanceof z.ZodUnion)) return own;
  const list = (response.options[0] as z.ZodObject).shape.data as z.ZodArray<z.ZodType>;
  return {
    data: [first(list.element)],
    path: `${exampleOrigin}/api${endpoint.path}`,
    per_page: 15,
    next_cursor: null,
    next_page_url: null,
    prev_cursor: null,
    prev_page_url: null,
  };
}

/** The example of a successful answer, with its envelope. */
export function exampleAnswer(endpoint: Endpoint): Record<string, unknown> {
  return {
    success: true,
    data: exampleData(endpoint),
    errors: null,
    meta: { timestamp: "2026-11-20 13:34:45 UTC", timezone: "UTC" },
  };
}

/** What a 409 `stale_version` of an endpoint has besides message, code and errors. */
export const exampleStale = (endpoint: Endpoint) => ({
  current: { ...(first(versionedRecord(endpoint)) as object), version: 7 },
  changed_by: { kind: "person", name: "Ana Costa" },
  changed_at: "2026-11-20T13:36:10.000125Z",
});
