import { globSync } from "node:fs";
import path from "node:path";

const LIST = /lib[/\\]worker[/\\]job-files\.ts$/;

/** The source of `lib/worker/job-files.ts` with every `job.ts` below `lib/` in its list. */
export function jobFilesSource(root) {
  const files = globSync("lib/**/job.ts", { cwd: root }).sort();
  const imports = files.map(
    (file, at) =>
      `import * as job${at} from ${JSON.stringify(path.join(root, file).split(path.sep).join("/"))};`,
  );
  return `${imports.join("\n")}\nexport const jobFiles = [${files.map((_, at) => `job${at}`).join(", ")}];\n`;
}

/** For esbuild. */
export const jobsPlugin = {
  name: "jobs",
  setup(build) {
    const root = build.initialOptions.absWorkingDir ?? process.cwd();
    build.onLoad({ filter: LIST }, () => ({
      contents: jobFilesSource(root),
      resolveDir: root,
      loader: "ts",
    }));
  },
};

/** For Vite, which runs the tests. */
export const jobsVitePlugin = {
  name: "jobs",
  enforce: "pre",
  load: (id) => (LIST.test(id) ? jobFilesSource(process.cwd()) : undefined),
};
