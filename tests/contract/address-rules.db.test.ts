import { afterAll, describe, expect, test } from "vitest";
import { closePool } from "@/db/client";
import { api } from "./setting";
import { create, data, errors, tenant } from "./input-setting";

afterAll(closePool);

describe("a query", () => {
  const list = (query: string) => api("GET", `/payment-links?${query}`, { key: tenant.keys.test });
  test.each([
    "per_page=0",
    "per_page=101",
    "per_page=1.5",
    "per_page=x",
    "page=0",
    "page=-1",
    "sort=title",
    "status=active",
    "paid=perhaps",
    "amount_min=x",
    "currency=XXX",
    "created_from=yesterday",
    "created_from=2026-02-30",
    "created_from=0000-01-01",
    "created_to=9999-12-31T23:59:59-05:00",
    "created_to=0001-01-01T00:00:00%2B05:00",
    "cursor=x",
    "subscription_id=x",
    `q=${"x".repeat(201)}`,
    `email=${"x".repeat(255)}`,
    "q=a%00b",
    "email=%00",
    "reference=%00",
  ])("%s is 422 on that parameter", async (query) => {
    const answer = await list(query);
    expect(answer.status).toBe(422);
    expect(Object.keys(errors(answer))).toEqual([query.split("=")[0]]);
  });
  test.each([
    "",
    "nonsense=1",
    "per_page=",
    "status=",
    "per_page=100&page=1",
    "q=%25_%5C",
    "q=%F0%9F%98%80",
    "reference=%ED%A0%80",
    "__proto__=1",
    "cursor=",
  ])("%s is fine", async (query) => {
    expect((await list(query)).status).toBe(200);
  });
  test("a moment from an answer, sent back as a bound, includes its record to the microsecond", async () => {
    const link = data(await create({ title: "to the microsecond" }));
    const moment = encodeURIComponent(String(link.created_at));
    const found = data(await list(`created_from=${moment}&created_to=${moment}`)).data as Array<{
      _id: string;
    }>;
    expect(found.map(({ _id }) => _id)).toEqual([link._id]);
  });
});

describe("an id", () => {
  test.each([
    "9223372036854775808",
    "0b0e5a3c-5c3e-4b39-9d1c-1f0f3a6d2e11",
    "6740f1c09a3be27d51c8e4f",
    "6740f1c09a3be27d51c8e4f00",
    "6740F1C09A3BE27D51C8E4F0",
    "6740f1c09a3be27d51c8e4fg",
    "'%20or%20'1'='1",
    "%00",
    "..%2f..%2fetc%2fpasswd",
    "%ff",
    "__proto__",
    "6740f1c09a3be27d51c8e4f0%00",
    "6740f1c09a3be27d51c8e4f0%0a",
    "0".repeat(24),
  ])("%s is the same 404 as an unknown one", async (id) => {
    for (const method of ["GET", "DELETE"]) {
      const answer = await api(method, `/payment-links/${id}`, { key: tenant.keys.test });
      expect(answer.status).toBe(404);
      expect(answer.text).toBe('{"message":"Not found.","code":"not_found","errors":{}}');
    }
  });
});
