import { afterAll, expect, test } from "vitest";
import { closePool, pool } from "@/db/client";
import { fileEndpoints, staffEndpoints } from "@/lib/contract/all";
import { silentTypes } from "@/lib/contract/values";
import { routes } from "../contract/setting";

afterAll(closePool);

test.each(
  [...staffEndpoints, ...fileEndpoints].map(
    (endpoint) => [`${endpoint.method} ${endpoint.path}`, endpoint] as const,
  ),
)("%s has a route", (_, { method, path }) => {
  const pattern = `/api${path.replace(/\{(\w+)\}/g, "[$1]")}`;
  expect(Object.keys(routes.find((route) => route.pattern === pattern)?.module ?? {})).toContain(
    method,
  );
});

test("the events that are not sent live are those that the contract names", async () => {
  const { rows } = await pool().query<{ text: string }>(
    "select pg_get_triggerdef(oid) as text from pg_trigger where tgname = 'events_told'",
  );
  expect(
    [...(rows[0]?.text ?? "").matchAll(/'([a-z_]+\.[a-z_]+)'/g)].map(([, type]) => type),
  ).toEqual([...silentTypes]);
});
