import { expect, test } from "vitest";
import { bundleCompute } from "../scripts/compute-bundle.mjs";

test("what compute threads run reaches neither the settings nor the database", async () => {
  const { metafile } = await bundleCompute();
  const inputs = Object.keys(metafile?.inputs ?? {});
  expect(inputs).toContain("lib/compute/logo.ts");
  expect(
    inputs.filter((file) => file === "lib/env.ts" || /^db\/(?!embedded\/project)/.test(file)),
  ).toEqual([]);
});
