import { expect, test, vi } from "vitest";
import type { Mode } from "@/lib/contract/values";
import { drawn } from "@/tests/drawn";
import { BusinessMenu } from "./business-menu";

const at = vi.hoisted((): { mode: Mode } => ({ mode: "test" }));
vi.mock("next/navigation", () => ({
  usePathname: () => `/b/1001/${at.mode}`,
  useRouter: () => ({}),
}));

test.each<[Mode, RegExp]>([
  ["test", /Test mode$/],
  ["live", /Live mode: real money.*Test mode$/],
])("the mode is named in words: %s", (mode, words) => {
  at.mode = mode;
  const text = drawn(<BusinessMenu />, []).replace(/<[^>]*>/g, "");
  expect(text).toMatch(words);
  expect(text.includes("Live mode")).toBe(mode === "live");
});
