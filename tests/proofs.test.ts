import { spawnSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

test.each(globSync("scripts/prove/*.ts"))(
  "%s has every constant before its work begins",
  (file) => {
    // The bundle makes variables of them, which are undefined until their line is reached.
    const [, after = ""] = readFileSync(file, "utf8").split(/^await prove\(/m);
    expect(after.match(/^(export )?(const|let) .*/gm) ?? []).toEqual([]);
  },
);

test("sabotage of a proof that has no cases proves nothing, and fails", () => {
  const { status, stderr } = spawnSync(process.execPath, ["scripts/sabotage/run.mjs", "nothing"], {
    encoding: "utf8",
  });
  expect([status, stderr]).toEqual([2, "there are no cases of nothing\n"]);
});
