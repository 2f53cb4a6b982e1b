import { beforeAll, expect, test } from "vitest";
import * as z from "zod";
import { fileEndpoints, staffEndpoints } from "@/lib/contract/all";
import { exampleParams } from "@/lib/contract/examples";
import { endpoints } from "@/lib/contract/programs";
import { provideEnv } from "@/lib/env";
import { as, someStaff } from "../staff/person";
import { api } from "./setting";

const reads = [...endpoints, ...staffEndpoints, ...fileEndpoints].filter(
  ({ method, access }) => method === "GET" && (access === "key" || access === "staff"),
);
const parameters = reads.flatMap((endpoint) =>
  endpoint.query instanceof z.ZodObject
    ? Object.keys(endpoint.query.shape).map((name) => [endpoint.path, name, endpoint] as const)
    : [],
);

let headers: Record<string, string>;
beforeAll(async () => {
  provideEnv({ RATE_LIMIT_COST: "1000000", RATE_LIMIT_KEY: "1000000" });
  headers = as(await someStaff());
});

test.each(parameters)("GET %s refuses a NUL in %s", async (path, name, endpoint) => {
  const params = exampleParams(endpoint);
  const address = path.replace(/\{(\w+)\}/g, (_, part: string) => params[part] ?? "");
  const { status } = await api("GET", `${address}?${name}=%00`, { headers });
  // A cursor belongs to the record that its list is of, and the example of one does not exist.
  expect(name === "cursor" && path.includes("{") ? [404, 422] : [422]).toContain(status);
});

test("parameters of lists, of files and of single reads are among them", () => {
  const paths = new Set(parameters.map(([path]) => path));
  for (const path of ["/audit-log", "/audit-log/export", "/search"]) expect(paths).toContain(path);
});
