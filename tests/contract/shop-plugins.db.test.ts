import { afterAll, describe, expect, test } from "vitest";
import { closePool } from "@/db/client";
import { pluginSentence } from "@/lib/http/shop-plugins";
import { data, tenant, valid } from "./input-setting";
import { api } from "./setting";

afterAll(closePool);

const guzzle = { "user-agent": "GuzzleHttp/7" };
const marks = ["woocommerce", "gravity-forms", "givewp", "opencart"];
const create = (fields: object, headers: Record<string, string> = {}, key = tenant.keys.test) =>
  api("POST", "/payment-links", { key, body: { ...valid, ...fields }, headers });

test("the sentence says what to do", () => {
  expect(pluginSentence).toContain("major units");
  expect(pluginSentence).toContain("do not point them at /api");
  expect(pluginSentence).toContain("Settings → Shop plugins");
  expect(pluginSentence).toContain("/api/v1/");
});

describe("a plugin's first calls are 404 with a sentence that the plugin can show", () => {
  test.each([
    ["POST", "/auth/sign-in", { email: "a@example.com", password: "x" }],
    ["GET", "/approved-businesses", undefined],
  ])("%s %s", async (method, path, body) => {
    for (const key of [undefined, tenant.keys.test]) {
      const answer = await api(method, path, { key, body, headers: guzzle });
      expect(answer.body).toEqual({
        message: pluginSentence,
        code: "not_found",
        errors: { integration: [pluginSentence] },
      });
      expect(answer.status).toBe(404);
    }
  });
  test.each([
    ["POST", "/auth/sign-in/nothing"],
    ["GET", "/auth/sign-in"],
    ["POST", "/approved-businesses"],
    ["GET", "/v10"],
    ["GET", "/nothing"],
  ])("%s %s is an ordinary 404", async (method, path) => {
    expect((await api(method, path, method === "POST" ? { body: {} } : {})).body).toEqual({
      message: "Not found.",
      code: "not_found",
      errors: {},
    });
  });
});

describe("a new link from a plugin that takes this for its own interface", () => {
  test.each(marks)("is a 422 on amount: %s", async (reference_2) => {
    for (const agent of ["GuzzleHttp/7", "GuzzleHttp/6.5.5 curl/7.74.0 PHP/8.1.0"]) {
      const answer = await create({ amount: 123_400, reference_2 }, { "user-agent": agent });
      expect(answer.body).toEqual({
        message: "The given data was invalid.",
        errors: { amount: [pluginSentence] },
      });
      expect(answer.status).toBe(422);
    }
  });
  test("gets the sentence first, with all that is wrong besides", async () => {
    const { body } = await create(
      { amount: "1,234.50", title: "", reference_2: " woocommerce " },
      guzzle,
    );
    expect(body.errors).toEqual({
      amount: [
        pluginSentence,
        "The amount must be an integer.",
        "The amount is in minor units of the currency: send 1250 for MYR 12.50.",
      ],
      title: ["The title field is required."],
    });
  });
  test("leaves its idempotency key free", async () => {
    const headers = { ...guzzle, "idempotency-key": "order-102" };
    const fields = { amount: 123_400, reference_2: "woocommerce" };
    expect((await create(fields, headers)).status).toBe(422);
    const said = { ...headers, "kutip-amount-unit": "minor" };
    expect(data(await create(fields, said)).amount).toBe(123_400);
  });
});

describe("what passes", () => {
  const plugin = { amount: 123_400, reference_2: "woocommerce" };
  test.each([
    ["swipe-php, which sends no User-Agent", plugin, {}],
    ["a client of another name", plugin, { "user-agent": "axios/1.7" }],
    ["a User-Agent that only mentions Guzzle", plugin, { "user-agent": "shop GuzzleHttp/7" }],
    ["Guzzle without the mark", { ...plugin, reference_2: "order 7" }, guzzle],
    ["Guzzle with the mark in another place", { amount: 500, reference: "woocommerce" }, guzzle],
    ["the mark in capitals", { ...plugin, reference_2: "WooCommerce" }, guzzle],
    ["who says that the unit is minor", plugin, { ...guzzle, "kutip-amount-unit": "minor" }],
  ])("%s", async (_, fields, headers) => {
    expect(data(await create(fields, headers as Record<string, string>)).amount).toBe(
      fields.amount,
    );
  });
  test("another value of the header does not", async () => {
    for (const unit of ["major", ""])
      expect((await create(plugin, { ...guzzle, "kutip-amount-unit": unit })).status).toBe(422);
  });
});
