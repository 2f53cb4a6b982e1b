import { globSync } from "node:fs";
import path from "node:path";

/** The address pattern of a route file: groups `(x)` dropped, `[param]` and `[...param]` kept. */
export function patternOf(file) {
  const parts = file
    .split(/[/\\]/)
    .slice(1, -1)
    .filter((part) => !/^\(.*\)$/.test(part));
  return `/${parts.join("/")}`;
}

/** Every route file under app/ as [{ file, pattern }], sorted by file. */
export function routeFiles(root) {
  // A pattern passes over folders that begin with a dot unless it names them.
  return globSync("{app,app/.well-known}/**/route.{ts,tsx}", { cwd: root })
    .sort()
    .map((file) => ({ file: file.split(path.sep).join("/"), pattern: patternOf(file) }));
}

/** Resolves `virtual:routes` to a module that imports every route file. */
export const routesPlugin = {
  name: "routes",
  setup(build) {
    const root = build.initialOptions.absWorkingDir ?? process.cwd();
    build.onResolve({ filter: /^virtual:routes$/ }, () => ({
      path: "routes",
      namespace: "routes",
    }));
    build.onLoad({ filter: /.*/, namespace: "routes" }, () => {
      const found = routeFiles(root);
      const imports = found.map(
        ({ file }, i) => `import * as m${i} from ${JSON.stringify(`./${file}`)};`,
      );
      const list = found.map(
        ({ pattern }, i) => `{ pattern: ${JSON.stringify(pattern)}, module: m${i} }`,
      );
      return {
        contents: `${imports.join("\n")}\nexport const routes = [${list.join(", ")}];`,
        resolveDir: root,
        loader: "js",
      };
    });
  },
};
