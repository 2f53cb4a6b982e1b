import type { Role } from "@/lib/contract/values";
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { closePool } from "@/db/client";
import { fileEndpoints, staffEndpoints } from "@/lib/contract/all";
import { endpoints } from "@/lib/contract/programs";
import type { Endpoint } from "@/lib/contract/endpoint";
import { exampleParams } from "@/lib/contract/examples";
import { findEndpoint } from "@/lib/contract/find-endpoint";
import type { LoggedRequest, LoggedRequestDetail } from "@/lib/contract/request-log";
import { unscopedInsertRequests } from "@/lib/domain/request-log/rows";
import { data, member, newOffice, type Office, staffCall } from "./setting";

afterAll(closePool);

const roles: readonly Role[] = ["owner", "admin", "staff", "viewer"];
const logged = [...endpoints, ...staffEndpoints, ...fileEndpoints].filter(
  ({ access }) => access === "key" || access === "staff",
);
const pathOf = (endpoint: Endpoint) => {
  const params = exampleParams(endpoint);
  return endpoint.path.replace(/\{(\w+)\}/g, (_, name: string) => params[name] ?? "");
};

let office: Office;
let headers: Record<Role, Record<string, string>>;
const ids = new Map<string, string>();

beforeAll(async () => {
  office = await newOffice();
  const others = await Promise.all(
    roles.slice(1).map(async (role) => [role, await member(office, role)] as const),
  );
  headers = { owner: office.headers, ...Object.fromEntries(others) } as typeof headers;
  const row = (method: string, path: string) => ({
    businessId: office.businessId,
    mode: "test" as const,
    id: randomUUID(),
    method,
    path,
    query: "email=private-query",
    status: 200,
    duration: 1,
    keyId: null,
    userId: null,
    ipAddress: "192.0.2.1",
    userAgent: null,
    idempotencyKey: "private-idempotency-key",
    requestHeaders: JSON.stringify({ "x-private-header": "1" }),
    requestBody: "private-request-body",
    responseBody: "private-response-body",
    createdAt: new Date().toISOString(),
  });
  const rows = [
    ...logged.map((endpoint) => row(endpoint.method, pathOf(endpoint))),
    row("POST", "/gone-since"),
  ];
  for (const { id, method, path } of rows) ids.set(`${method} ${path}`, id);
  await unscopedInsertRequests(rows);
});

const content = /private-/;

async function seen(role: Role, call: string) {
  const id = ids.get(call) ?? "";
  const listed = data<{ data: LoggedRequest[] }>(
    await staffCall(office, "GET", `/request-log?q=${id}`, undefined, headers[role]),
  ).data[0];
  const shown = data<LoggedRequestDetail>(
    await staffCall(office, "GET", `/request-log/${id}`, undefined, headers[role]),
  );
  return { listed, shown };
}

test("every call finds the endpoint that it was made to", () => {
  for (const endpoint of logged)
    expect(findEndpoint(endpoint.method, pathOf(endpoint))?.id, endpoint.path).toBe(endpoint.id);
});

describe.each(
  logged.map((endpoint) => [`${endpoint.method} ${pathOf(endpoint)}`, endpoint] as const),
)("a logged %s", (call, endpoint) => {
  test.each(roles)(
    "shows what it held to a %s only if they may make it and get all of its answer",
    async (role) => {
      const { listed, shown } = await seen(role, call);
      const may =
        endpoint.roles.includes(role) && !(role === "viewer" && endpoint.hidesFromViewers === true);
      expect([listed?.restricted, shown.restricted]).toEqual([!may, !may]);
      expect(content.test(JSON.stringify(listed))).toBe(may);
      expect(content.test(JSON.stringify(shown))).toBe(may);
      if (may) expect(shown.response_body).toBe("private-response-body");
    },
  );
});

test("a call that no endpoint declares any more is for owners and admins", async () => {
  const restricted = await Promise.all(
    roles.map(async (role) => (await seen(role, "POST /gone-since")).shown.restricted),
  );
  expect(restricted).toEqual([false, false, true, true]);
});
