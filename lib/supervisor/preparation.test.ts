import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { build, type BuildOptions } from "esbuild";
import { afterEach, beforeEach, expect, test } from "vitest";
import { placesIn } from "@/db/embedded/folder";
import { bundleOptions } from "../../scripts/compute-bundle.mjs";
import { Preparation } from "./preparation";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), "kutip-preparation-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const install = () => ({ places: placesIn(folder), embedded: true, startedHere: true });

/** A preparation that runs this script instead. */
function running(script: string): Preparation {
  const file = path.join(folder, "prepare.mjs");
  writeFileSync(file, script);
  return new Preparation({ demo: true, backupTaken: false }, [file]);
}

test("is told where the database is and what is wished, and tells what was done", async () => {
  const preparation = running(`process.once("message", ({ install }) => {
    const { demo } = JSON.parse(process.argv[2]);
    process.send({ upgradedBy: 3, demo: null, setup: demo + install.places.folder }, () => process.exit(0));
  });`);
  expect(await preparation.of(install())).toEqual({
    upgradedBy: 3,
    demo: null,
    setup: `true${folder}`,
  });
});

test("that has said why it failed is not explained once more", async () => {
  const preparation = running(`process.once("message", () => process.exit(1));`);
  expect(await preparation.of(install())).toBeUndefined();
});

test("that was killed is one sentence", async () => {
  const preparation = running(
    `process.once("message", () => process.kill(process.pid, "SIGKILL"));`,
  );
  await expect(preparation.of(install())).rejects.toThrow(
    "the preparation of the database was ended by SIGKILL",
  );
});

test("ends at once when the database does not open", async () => {
  const preparation = running(`process.once("message", () => undefined);`);
  preparation.cancel();
  await expect(preparation.of(install())).rejects.toThrow("SIGKILL");
});

test("what it loads is not in the supervisor: neither the schema, nor Drizzle, nor the domain", async () => {
  const { metafile } = await build({
    ...(bundleOptions as BuildOptions),
    entryPoints: ["lib/supervisor/supervise.ts"],
    outdir: path.join(folder, "out"),
    write: false,
    metafile: true,
  });
  const loaded = new Set<string>();
  const load = (file: string) => {
    const output = metafile?.outputs[file];
    if (!output) return;
    for (const input of Object.keys(output.inputs)) loaded.add(input);
    for (const { path: target, kind } of output.imports)
      if (kind === "import-statement") load(target);
  };
  load(Object.keys(metafile?.outputs ?? {}).find((file) => /supervise\.js$/.test(file)) ?? "");
  expect([...loaded]).toContain("lib/supervisor/children.ts");
  expect(
    [...loaded].filter((file) => /^(db\/(client|schema\/)|lib\/domain\/)|drizzle-orm/.test(file)),
  ).toEqual([]);
});
