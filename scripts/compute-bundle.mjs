import path from "node:path";
import { readFileSync } from "node:fs";
import { build } from "esbuild";
import { root } from "./stamp.mjs";

// Packages stay where they are, but for those of hundreds of small files: taken in, a process starts in a quarter of the time.
// So are one that would load a second zod, and one that imports all of `node:http`.
const takenIn = [
  "drizzle-orm",
  "zod",
  "zod-openapi",
  "better-auth",
  "@better-auth/passkey",
  "@opentelemetry/api",
  "request-filtering-agent",
];
const external = Object.keys(
  JSON.parse(readFileSync(path.join(root, "package.json"), "utf8")).dependencies,
)
  .filter((name) => !takenIn.includes(name))
  .flatMap((name) => [name, `${name}/*`]);

/** The esbuild options of every bundle that runs in Node. */
export const bundleOptions = {
  absWorkingDir: root,
  chunkNames: "chunks/[name]-[hash]",
  bundle: true,
  splitting: true,
  platform: "node",
  target: "node24",
  format: "esm",
  external,
  jsx: "automatic",
  sourcemap: true,
  sourcesContent: false,
  metafile: true,
  define: { "process.env.NODE_ENV": '"production"' },
  logLevel: "warning",
};

/** Bundles the entry of the compute threads, which the tests need as well. */
export const bundleCompute = () =>
  build({
    ...bundleOptions,
    entryPoints: [{ in: "compute.ts", out: "compute" }],
    outdir: "build/compute",
  });
