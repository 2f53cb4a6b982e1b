import { expect, test, vi } from "vitest";
import { drawn } from "@/tests/drawn";
import { JsonCard } from "./json-card";

vi.mock("next/navigation", async () => (await import("@/tests/drawn-at")).navigation);

test.each([
  ["owner", true],
  ["admin", true],
  ["staff", false],
  ["viewer", false],
] as const)("for a member with the role %s, the JSON of a record is there: %s", (role, shown) => {
  const html = drawn(<JsonCard record={{ _id: "1" }} />, [], { role });
  expect(html.includes("as the API answers it")).toBe(shown);
});
