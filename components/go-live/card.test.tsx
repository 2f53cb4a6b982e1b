import { expect, test, vi } from "vitest";
import { getGoLive } from "@/lib/contract/operations";
import { GoLive } from "@/lib/contract/overview";
import { answered, drawn } from "@/tests/drawn";
import { GoLiveCard } from "./card";

vi.mock("next/navigation", async () => (await import("@/tests/drawn-at")).navigation);

test("the steps that are counted are those of the list, also one that is only for some", () => {
  const [example] = GoLive.parse(GoLive.meta()?.examples?.[0]).steps;
  const steps = (["brand", "live_key"] as const).flatMap((step) =>
    example ? { ...example, step, done: step === "brand", optional: step === "live_key" } : [],
  );
  const html = drawn(<GoLiveCard />, [answered(getGoLive, {}, { steps, done: false })]);
  expect(html.match(/<li/g)).toHaveLength(2);
  expect(html).toContain("1 of 2 steps are done.");
});
