import path from "node:path";
import { mergeConfig } from "vitest/config";
import base from "../../vitest.config";
import { stateOf } from "./state.mjs";

const root = path.resolve(import.meta.dirname, "../..");

// The project's own configuration, with the sources as the mutant run wants them.
export default mergeConfig(base, {
  root,
  plugins: [
    {
      name: "mutants",
      enforce: "pre",
      transform: (_code: string, id: string) => stateOf().sources.get(path.relative(root, id)),
    },
  ],
  test: {
    maxWorkers: 1,
    // Keeps what it has transformed by the source on disk.
    fsModuleCache: false,
    sequence: { shuffle: { files: false, tests: true } },
    setupFiles: [path.join(import.meta.dirname, "reached.ts")],
  },
});
