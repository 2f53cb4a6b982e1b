import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { UNGUARDED } from "./unguarded";

test.each(UNGUARDED)("the threat model lists what plain Next.js does not guard: %s", (one) => {
  expect(readFileSync("docs/threat-model.md", "utf8").replace(/\s+/g, " ")).toContain(one);
});
