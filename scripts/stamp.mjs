import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

export const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));

const folders = ["app", "components", "lib", "db", "public"];
const stampOf = (part) => path.join(root, "build", `stamp-${part}`);
const notBuilt = /\.(test|spec)\.tsx?$|[/\\]db[/\\]migrations[/\\]|\.d\.ts$/;

let sources;

/** What the sources are now: a hash over everything a build is made of. */
export function sourcesHash() {
  sources ??= compute();
  return sources;
}

/** Whether a part of the build ("bundles" or "next") is missing or made of other sources. */
export function isStale(part) {
  if (part === "next" && !existsSync(path.join(root, ".next", "BUILD_ID"))) return true;
  return !existsSync(stampOf(part)) || readFileSync(stampOf(part), "utf8") !== sourcesHash();
}

/** Keeps that the part was made of the sources with this hash. */
export function writeStamp(part, hash) {
  mkdirSync(path.join(root, "build"), { recursive: true });
  writeFileSync(stampOf(part), hash);
}

function compute() {
  const hash = createHash("sha256");
  const add = (file) =>
    hash
      .update(file)
      .update("\0")
      .update(readFileSync(path.join(root, file)))
      .update("\0");
  const top = readdirSync(root).filter(
    (name) =>
      (/\.(ts|tsx|mjs)$/.test(name) && !/^(vitest|playwright)\.config\./.test(name)) ||
      /^(package-lock|tsconfig)\.json$/.test(name),
  );
  for (const name of [
    ...top,
    "scripts/build.mjs",
    "scripts/compute-bundle.mjs",
    "scripts/contract-loader.cjs",
  ].sort())
    if (!notBuilt.test(name)) add(name);
  for (const folder of folders)
    for (const file of walk(folder)) if (!notBuilt.test(`/${file}`)) add(file);
  return hash.digest("hex");
}

function walk(folder) {
  const at = path.join(root, folder);
  if (!existsSync(at)) return [];
  return readdirSync(at, { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) =>
      entry.isDirectory() ? walk(`${folder}/${entry.name}`) : [`${folder}/${entry.name}`],
    );
}
