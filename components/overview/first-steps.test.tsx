import { expect, test, vi } from "vitest";
import { firstSteps, type Role } from "@/lib/contract/values";
import { drawn } from "@/tests/drawn";
import { FirstSteps } from "./first-steps";

vi.mock("next/navigation", async () => (await import("@/tests/drawn-at")).navigation);

const ledTo = (role: Role, done: readonly string[] = []) => {
  const steps = firstSteps.map((step) => ({ step, done: done.includes(step) }));
  const html = drawn(<FirstSteps steps={steps} />, [], { role });
  return [...html.matchAll(/href="\/b\/1001\/test([^"]*)"/g)].map(([, path]) => path);
};

test.each<[Role, string[]]>([
  ["owner", ["/payment-links/new", "/payment-links", "/settings", "/developers", "/settings/team"]],
  ["staff", ["/payment-links/new", "/payment-links"]],
  ["viewer", ["/payment-links"]],
])("the first steps lead the %s only to what this role may do", (role, paths) => {
  expect(ledTo(role)).toEqual(paths);
});

test("the first steps leave the page once a person has done all that their role may do", () => {
  expect(ledTo("viewer", ["link_created", "link_paid"])).toEqual([]);
  expect(ledTo("staff", ["link_created", "link_paid"])).toEqual([]);
  expect(ledTo("owner", ["link_created", "link_paid"])).toHaveLength(5);
});
