import { expect } from "vitest";
import { provideEnv } from "@/lib/env";
import { type Answer, api, newTenant } from "./setting";

provideEnv({ RATE_LIMIT_KEY: "0", RATE_LIMIT_BUSINESS: "0" });
export const tenant = await newTenant();

export const valid = { email: "ana@example.com", currency: "MYR", amount: 500, title: "Invoice" };
export const post = (raw: BodyInit, headers: Record<string, string> = {}) =>
  api("POST", "/payment-links", { key: tenant.keys.test, raw, headers });
export const create = (fields: Record<string, unknown>) =>
  post(JSON.stringify({ ...valid, ...fields }));
/** The body with one field as JSON text, for numbers that JavaScript would write otherwise. */
export const createRaw = (field: string, json: string) =>
  post(JSON.stringify({ ...valid, [field]: "\u0001" }).replace('"\\u0001"', json));

export const data = (answer: Answer) => answer.body.data as Record<string, unknown>;
export const errors = (answer: Answer) => answer.body.errors as Record<string, string[]>;

export function expectMalformed(answer: Answer, status = 400, code = "malformed_request") {
  expect(answer.body).toEqual({ message: expect.any(String), code, errors: {} });
  expect(answer.status).toBe(status);
}

export function expectInvalid(answer: Answer, expected: Record<string, string[]>) {
  expect(answer.body).toEqual({ message: "The given data was invalid.", errors: expected });
  expect(answer.status).toBe(422);
}

export const inFields = (more: string) =>
  `{"email":"ana@example.com","currency":"MYR","amount":500,"title":"Invoice",${more}}`;
