import { beforeAll, describe, expect, test } from "vitest";
import { fileEndpoints } from "@/lib/contract/all";
import { exampleParams } from "@/lib/contract/examples";
import { streamChanges } from "@/lib/contract/stream";
import { defineFileRoute } from "@/lib/http/define-file-route";
import { api } from "../contract/setting";
import { someStaff } from "../staff/person";

const pathOf = (endpoint: (typeof fileEndpoints)[number]) => {
  const params = exampleParams(endpoint);
  return endpoint.path.replace(/\{(\w+)\}/g, (_, name: string) => params[name] ?? "");
};

let staff: Awaited<ReturnType<typeof someStaff>>;
beforeAll(async () => {
  staff = await someStaff();
});

describe.each(fileEndpoints.map((one) => [one.path, one] as const))("GET %s", (_, endpoint) => {
  const queries = [
    "business=%E2%82%AC&mode=test",
    "business=1&mode=a%0Ab",
    "business=%00&mode=%00",
  ];

  test.each(queries)(
    "with names that no header takes is counted and refused: %s",
    async (query) => {
      const path = `${pathOf(endpoint)}?${query}`;
      const stranger = await api("GET", path);
      expect([stranger.status, stranger.body.code]).toEqual([401, "unauthenticated"]);
      expect(stranger.headers.get("x-ratelimit-remaining") ?? "").toMatch(/^\d+$/);
      const known = await api("GET", path, { headers: { cookie: staff.cookie } });
      expect([known.status, known.body.code]).toEqual([400, "malformed_request"]);
    },
  );
});

test("work for a file whose business is named in the query ends when its caller goes away", async () => {
  const caller = new AbortController();
  let signal: AbortSignal | undefined;
  const route = defineFileRoute(streamChanges, async ({ ctx }) => {
    signal = ctx.disconnected?.();
    return { body: "" };
  });
  const query = `business=${staff.businessId}&mode=test`;
  const request = new Request(`http://localhost:3000/api/stream?${query}`, {
    headers: { cookie: staff.cookie },
    signal: caller.signal,
  });
  expect((await route(request, { clientAddress: "192.0.2.1" })).status).toBe(200);
  expect(signal?.aborted).toBe(false);
  caller.abort();
  expect(signal?.aborted).toBe(true);
});
