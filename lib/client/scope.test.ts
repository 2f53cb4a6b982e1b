import { expect, test } from "vitest";
import { consolePath, switchScope, scopeOf } from "./scope";

test("an address of the console says whose data and which mode", () => {
  expect(scopeOf("/b/1001/test/payment-links")).toEqual({ business: "1001", mode: "test" });
  expect(scopeOf("/b/1001/live")).toEqual({ business: "1001", mode: "live" });
});

test("any other address says nothing", () => {
  for (const path of ["/", "/sign-in", "/b/1001", "/b/1001/testing", "/x/b/1001/test"])
    expect(scopeOf(path)).toBeUndefined();
});

test("switching keeps the section and leaves a record's page, which the other mode does not have", () => {
  const live = { business: "1001", mode: "live" } as const;
  expect(switchScope("/b/1001/test", live)).toBe("/b/1001/live");
  expect(switchScope("/b/1001/test/payment-links/6740f1c09a3be27d51c8e4f0", live)).toBe(
    "/b/1001/live/payment-links",
  );
  expect(switchScope("/b/1001/test/settings/team", live)).toBe("/b/1001/live/settings/team");
  expect(
    switchScope("/b/1001/test/developers/requests/5f0c3a52-9d3e-4f0b-8a55-0c7f1f3a2a11", live),
  ).toBe("/b/1001/live/developers/requests");
});

test("a path inside the console begins with its scope", () => {
  expect(consolePath({ business: "7", mode: "test" }, "/tokens")).toBe("/b/7/test/tokens");
});
