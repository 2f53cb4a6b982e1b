import * as z from "zod";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { closePool } from "@/db/client";
import { staffEndpoints } from "@/lib/contract/all";
import { endpoints } from "@/lib/contract/programs";
import type { Endpoint } from "@/lib/contract/endpoint";
import { provideEnv } from "@/lib/env";
import { as, someStaff } from "../staff/person";
import { paramNames, readyPath } from "./fixtures";
import { type Answer, api, newTenant, type Tenant } from "./setting";

/** Rules for every endpoint with a body, made from the contract. */

provideEnv({
  RATE_LIMIT_KEY: "0",
  RATE_LIMIT_COST: "0",
  RATE_LIMIT_SIGN_IN: "0",
  RATE_LIMIT_ANONYMOUS: "0",
});
let tenant: Tenant;
let owner: Awaited<ReturnType<typeof someStaff>>;
beforeAll(async () => {
  tenant = await newTenant();
  owner = await someStaff();
});
afterAll(closePool);

const withBody = [...endpoints, ...staffEndpoints].filter(({ body }) => body !== undefined);
const example: Record<string, string> = {
  member_id: "5f0c3a52-9d3e-4f0b-8a55-0c7f1f3a2a11",
  connection_id: "9f2c4b0de1a75c38b6f04a2e7d915c30",
};

/** Sends a body to a record for which the call can succeed, or to an unknown one where only staff may call. */
async function send(endpoint: Endpoint, raw: string): Promise<Answer> {
  if (endpoint.access === "key")
    return api(endpoint.method, await readyPath(endpoint, tenant.ctx.test), {
      key: tenant.keys.test,
      raw,
    });
  const [name = ""] = paramNames(endpoint);
  const path = endpoint.path.replace(/\{\w+\}/, example[name] ?? "6740f1c09a3be27d51c8e4f0");
  const headers = { ...as(owner), origin: "http://localhost:3000" };
  return api(endpoint.method, path, { raw, headers });
}

const outcome = ({ status, body }: Answer) => ({ status, code: body.code, errors: body.errors });

describe.each(
  withBody.map((endpoint) => [`${endpoint.method} ${endpoint.path}`, endpoint] as const),
)("%s", (_, endpoint) => {
  test.each(["[]", " [\n] "])("%s, as PHP writes an empty object, counts as {}", async (raw) => {
    const answer = await send(endpoint, raw);
    expect(answer.body.code).not.toBe("malformed_request");
    expect(outcome(answer)).toEqual(outcome(await send(endpoint, "{}")));
  });
});

/** Whole numbers that a field takes while it refuses the fractions beside them. */
const numbers = [1, 24, 500];
function integerFields(endpoint: Endpoint) {
  if (!(endpoint.body instanceof z.ZodObject)) return [];
  return Object.entries(endpoint.body.shape as Record<string, z.ZodType>).flatMap(
    ([name, schema]) => {
      const wraps = [(json: string) => json, (json: string) => `[${json}]`];
      const takes = (json: string) => schema.safeParse(JSON.parse(json)).success;
      const found = wraps.flatMap((wrap) =>
        numbers
          .filter((number) => takes(wrap(`${number}`)) && !takes(wrap(`${number}.5`)))
          .slice(-1)
          .map((number) => ({ endpoint, name, number, wrap })),
      );
      return found.map((one) => ({ ...one, field: `${endpoint.id}.${name}` }));
    },
  );
}

const integers = withBody.flatMap(integerFields);

test("amounts, flags, hours and lists of days are among the integer fields", () => {
  const fields = integers.map(({ field }) => field);
  expect(fields).toEqual(
    expect.arrayContaining([
      "createPaymentLink.amount",
      "createPaymentLink.send_email",
      "createRefund.amount",
      "chargeToken.amount",
      "rollApiKey.overlap_hours",
      "updateBusiness.retry_days",
    ]),
  );
});

describe.each(integers)("$field is decided by the text of the number", (one) => {
  const { endpoint, name, number, wrap } = one;
  const complaints = async (json: string) => {
    const { body } = await send(endpoint, `{"${name}":${wrap(json)}}`);
    return Object.keys((body.errors ?? {}) as object).filter(
      (key) => key === name || key.startsWith(`${name}.`),
    );
  };
  test.each([
    `${number}.0000000000000000000001`,
    `${number - 1}.99999999999999999999999`,
    `${number}000000000000000000000001e-24`,
    `0.${"9".repeat(30)}e0`,
    "1e-400",
    `1e-${"9".repeat(40)}`,
    "1e400",
    `1e${"9".repeat(40)}`,
    `1${"0".repeat(400)}`,
    `-${number}.00000000000000000000001`,
  ])("%s is 422", async (json) => expect(await complaints(json)).not.toEqual([]));
  test.each([
    `${number}.0`,
    `${number}.000000000000000000000000`,
    `${number}e0`,
    `${number}00e-2`,
    `${number}.000000000000000000000000E+00`,
    `0.${String(number).padStart(3, "0")}e3`,
  ])("%s is the whole number", async (json) => expect(await complaints(json)).toEqual([]));
});
