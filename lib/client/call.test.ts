import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { getPaymentLink, listPaymentLinks } from "@/lib/contract/operations";
import { addressOf, reach } from "./call";
import { ApiProblem, isRefusal, problemText } from "./problem";

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
  "/413": { status: 413, body: "<html>" },
  "/half": { status: 200, body: '{"success":true,"da' },
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

const failure = (path: string, init: RequestInit = {}) =>
  reach(base + path, init).then(
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

test("a missing answer differs from a refusal", async () => {
  expect(await failure("0/closed")).toMatchObject({ status: 0, code: "network" });
  expect(await failure("/half")).toMatchObject({ status: 0, code: "network" });
});

test("a change without an answer is never said to have changed nothing; reading claims nothing", async () => {
  const lost = await failure("0/closed", { method: "POST" });
  expect(problemText(lost)).toBe(
    "Kutip cannot be reached. This may have gone through: look before you repeat it.",
  );
  expect(problemText(await failure("0/closed"))).toBe("Kutip cannot be reached.");
});

test("only what the API itself refuses is a refusal; all else leaves open whether it was done", async () => {
  const refusals = await Promise.all(["/422", "/409"].map((path) => failure(path)));
  expect(refusals.map(isRefusal)).toEqual([true, true]);
  const open = await Promise.all(
    ["/502", "/413", "/half", "0/closed"].map((path) => failure(path, { method: "POST" })),
  );
  expect(open.map(isRefusal)).toEqual([false, false, false, false]);
  expect(isRefusal(new ApiProblem(409, "idempotency_in_progress", "Still running."))).toBe(false);
  expect(isRefusal(new ApiProblem(503, "database_away", "Try again."))).toBe(false);
});
