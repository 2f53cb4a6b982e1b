import { expect, test } from "vitest";
import { ApiProblem } from "@/lib/client/problem";
import { isGone } from "./gone";

test.each([
  [404, "not_found", true],
  [422, "invalid_data", true],
  [400, "INVALID_TOKEN", true],
  [400, "password_guessable", false],
  [401, "INVALID_TOKEN", true],
  [401, "TOKEN_EXPIRED", true],
  [401, "USER_NOT_FOUND", true],
  [0, "network", false],
  [401, "unauthenticated", false],
  [403, "forbidden", false],
  [404, "unreadable", false],
  [429, "too_many_requests", false],
  [500, "internal_error", false],
  [503, "unavailable", false],
])("a one-time link whose call ends with %i %s is called gone: %s", (status, code, gone) => {
  expect(isGone(new ApiProblem(status, code, ""))).toBe(gone);
});

test("a fault of the page itself does not call a link gone", () => {
  expect(isGone(new TypeError("x is undefined"))).toBe(false);
});
