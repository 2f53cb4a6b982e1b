import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import os from "node:os";
import path from "node:path";
import { build } from "esbuild";
import { afterAll, afterEach, beforeEach, expect, test, vi } from "vitest";
import { errorForLog } from "./error-text";
import { inSources, mapsKept } from "./source-places";

const folder = mkdtempSync(path.join(os.tmpdir(), "kutip places "));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

// Tests of a file share the maps, which a timer forgets.
beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout"] }));
afterEach(() => {
  vi.runAllTimers();
  vi.useRealTimers();
});

/** An error that a bundle throws, from the third line of `source.ts`. */
async function thrown(name: string): Promise<Error> {
  const source = path.join(folder, "source.ts");
  writeFileSync(
    source,
    `type Text = string;\nconst text: Text = "broken";\nexport const error = new Error(text);\n`,
  );
  const outfile = path.join(folder, `${name}.js`);
  await build({
    entryPoints: [source],
    outfile,
    format: "cjs",
    sourcemap: true,
    banner: { js: "\n\n\n" },
  });
  const { error } = createRequire(import.meta.url)(outfile) as { error: Error };
  return error;
}

test("the log names the place in the source, not in the bundle", async () => {
  const error = await thrown("bundle");
  expect(error.stack).toContain("bundle.js:");
  expect(errorForLog(error).stack).toContain(`${path.join(folder, "source.ts")}:3:`);
  expect(errorForLog(error).stack).not.toContain("bundle.js");
});

test("a map is forgotten soon after an error, and a place that was translated is known", async () => {
  const error = await thrown("forgotten");
  const place = inSources(error.stack ?? "");
  expect(mapsKept()).toBeGreaterThan(0);
  vi.advanceTimersByTime(10_000);
  expect(mapsKept()).toBe(0);
  expect(inSources(error.stack ?? "")).toBe(place);
  expect(mapsKept()).toBe(0);
});

test("a bundle without a map, or with one that is cut off, keeps its places", async () => {
  const error = await thrown("cut");
  writeFileSync(path.join(folder, "cut.js.map"), '{"version":3,');
  expect(inSources(error.stack ?? "")).toBe(error.stack);
  const text = "at read (/nowhere/build/server.js:1:2)\nat other (node:fs:1:2)";
  expect(inSources(text)).toBe(text);
});
