import { expect, test, vi } from "vitest";
import { drawn } from "@/tests/drawn";
import { CustomerList } from "./list";

vi.mock("next/navigation", async () => (await import("@/tests/drawn-at")).navigation);

test("the list of customers does not say that each was asked for money: one can be added too", () => {
  expect(drawn(<CustomerList />, [])).toContain(
    "One customer per e-mail address that you have asked for money or added.",
  );
});
