import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { getPaymentLink, listPaymentLinks } from "@/lib/contract/operations";
import { addressOf, reach } from "./call";
import { ApiProblem, problemText } from "./problem";

const answers: Record<string, { status: number; body: string }> = {
  "/422": {
    status: 422,
    body: JSON.stringify({
      message: "The given data was invalid.",
      errors: { title: ["The title field is required."] },
    }),
  },
  "/409": {
    status: 409,
    body: JSON.stringify({ message: "The link is paid.", code: "conflict", errors: {} }),
  },
  "/502": { status: 502, body: "<html>" },
};
const server = createServer((request, response) => {
  const { status, body } = answers[request.url ?? ""] ?? {
    status: 200,
    body: JSON.stringify({ success: true, data: 1 }),
  };
  response.writeHead(status, { "x-request-id": "r1" }).end(body);
});
let base = "";

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => new Promise<void>((resolve) => void server.close(() => resolve())));

const failure = (path: string) =>
  reach(base + path, {}).then(
    () => undefined,
    (error: unknown) => error as ApiProblem,
  );

test("an address has its parameters encoded, and only the filters that are set", () => {
  expect(addressOf(getPaymentLink, { params: { payment_link_id: "a/b?c" } })).toBe(
    "/api/payment-links/a%2Fb%3Fc",
  );
  expect(
    addressOf(listPaymentLinks, {
      query: { page: 2, status: "", q: null, email: undefined, reference: "A&B" },
    }),
  ).toBe("/api/payment-links?page=2&reference=A%26B");
});

test("a 422 comes with its texts by field", async () => {
  expect(await failure("/422")).toMatchObject({
    status: 422,
    code: "invalid_data",
    errors: { title: ["The title field is required."] },
    requestId: "r1",
  });
});

test("any other refusal keeps the API's words", async () => {
  expect(await failure("/409")).toMatchObject({
    status: 409,
    code: "conflict",
    message: "The link is paid.",
    errors: {},
  });
});

test("an answer that is no JSON is still a problem a person can read", async () => {
  const problem = await failure("/502");
  expect(problem).toBeInstanceOf(ApiProblem);
  expect(problemText(problem)).toBe("Something went wrong on our side.");
});

test("no answer at all is told apart from a refusal", async () => {
  expect(await failure("0/closed")).toMatchObject({ status: 0, code: "network" });
});
