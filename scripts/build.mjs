// The production build: Next.js for the pages, esbuild for the Node entries. `--bundles` makes only the latter, `--if-stale` what is needed.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { build } from "esbuild";
import { bundleCompute, bundleOptions } from "./compute-bundle.mjs";
import { jobsPlugin } from "./jobs-plugin.mjs";
import { lazyPlugin } from "./lazy-plugin.mjs";
import { heldLock } from "./lock.mjs";
import { routesPlugin } from "./routes-plugin.mjs";
import { compressFolder } from "./compress.mjs";
import { isStale, root, sourcesHash, writeStamp } from "./stamp.mjs";

const args = process.argv.slice(2);
const only = args.includes("--if-stale") ? isStale : () => true;
const { release } = await heldLock(
  path.join(os.tmpdir(), `kutip-build-${Buffer.from(root).toString("base64url").slice(-40)}.lock`),
  (file) => console.error(`kutip: waiting for another build (its lock is ${file})`),
);
const hash = sourcesHash();

if (only("bundles")) {
  await bundle();
  writeStamp("bundles", hash);
}
if (!args.includes("--bundles") && only("next")) {
  await assertSettings();
  console.error("kutip: building the pages");
  const next = path.join(root, "node_modules/next/dist/bin/next");
  const result = spawnSync(process.execPath, [next, "build"], {
    cwd: root,
    env: { ...process.env, NODE_ENV: "production", NEXT_TELEMETRY_DISABLED: "1" },
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  });
  if (result.status !== 0) {
    console.error(result.stdout + result.stderr);
    process.exit(result.status ?? 1);
  }
  await compressFolder(path.join(root, ".next/static"));
  writeStamp("next", hash);
}
release();

// Next.js looks at the settings at the end of its minute; a bad one is named before, as a start would name it.
async function assertSettings() {
  const { readEnv } = await import("../build/env.js");
  try {
    readEnv(process.env);
  } catch (error) {
    if (error.name !== "EnvError") throw error;
    for (const line of error.message.split("\n")) console.error(`kutip: ${line}`);
    process.exit(1);
  }
}

async function bundle() {
  const entries = [
    { in: "server.ts", out: "server" },
    { in: "worker.ts", out: "worker" },
    { in: "kutip.ts", out: "kutip" },
    { in: "lib/supervisor/child.ts", out: "child" },
    { in: "lib/operator/prepare.ts", out: "prepare" },
    { in: "lib/env.ts", out: "env" },
  ].filter((entry) => existsSync(path.join(root, entry.in)));
  const result = await build({
    ...bundleOptions,
    entryPoints: entries,
    outdir: "build",
    plugins: [routesPlugin, jobsPlugin, lazyPlugin],
  });
  const compute = await bundleCompute();
  if (args.includes("--bundles")) return;
  // Running servers may still load chunks of earlier builds: those go with the next whole build.
  rmSync(path.join(root, "build/compiled"), { recursive: true, force: true });
  removeOldChunks("build/chunks", result);
  removeOldChunks("build/compute/chunks", compute);
}

function removeOldChunks(folder, { metafile }) {
  const made = new Set(Object.keys(metafile.outputs).map((file) => path.basename(file)));
  const chunks = path.join(root, folder);
  for (const name of existsSync(chunks) ? readdirSync(chunks) : [])
    if (!made.has(name)) rmSync(path.join(chunks, name));
}
