import { expect, test } from "vitest";
import { compareVersions } from "./version";

test("versions are ordered as Semantic Versioning orders them, whichever comes first", () => {
  const ordered = [
    "0.9.0",
    "1.0.0-alpha",
    "1.0.0-alpha.1",
    "1.0.0-alpha.beta",
    "1.0.0-rc.2",
    "1.0.0-rc.10",
    "1.0.0",
    "1.0.1",
    "1.2.0",
    "1.10.0",
    "2.0.0",
  ];
  for (const [at, a] of ordered.entries())
    for (const [other, b] of ordered.entries())
      expect([a, b, Math.sign(compareVersions(a, b))]).toEqual([a, b, Math.sign(at - other)]);
  expect(compareVersions("1.0.0+build.1", "1.0.0+build.2")).toBe(0);
});
