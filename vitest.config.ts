import { configDefaults, defineConfig } from "vitest/config";
import { jobsVitePlugin } from "./scripts/jobs-plugin.mjs";

const exclude = [...configDefaults.exclude, "build/**", ".next/**", ".data/**", "e2e/**"];

const seed = process.env.TEST_SEED;

export default defineConfig({
  plugins: [jobsVitePlugin],
  resolve: { tsconfigPaths: true },
  test: {
    maxWorkers: 2,
    // A random order, of files and of the tests within a file; TEST_SEED repeats one.
    sequence: { shuffle: true, ...(seed ? { seed: Number(seed) } : {}) },
    // Vite sets a BASE_URL of its own ("/"), so this sets Kutip's. A test file calls for many businesses as fast as it can.
    env: { BASE_URL: "http://localhost:3000", LOG_LEVEL: "silent", RATE_LIMIT_TIME: "0" },
    projects: [
      {
        extends: true,
        test: {
          name: "unit",
          include: ["**/*.test.{ts,tsx}"],
          exclude: [...exclude, "**/*.db.test.{ts,tsx}"],
        },
      },
      {
        extends: true,
        test: {
          name: "database",
          include: ["**/*.db.test.{ts,tsx}"],
          exclude,
          globalSetup: ["tests/database.ts", "tests/compute.ts"],
          setupFiles: [
            "tests/database-per-file.ts",
            "tests/declared-answers.ts",
            "tests/updates-for-shards.ts",
          ],
          // For tests that hang: a busy machine may take six times as long as a quiet one.
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
    ],
  },
});
