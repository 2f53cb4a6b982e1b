import { type ChildProcess, execFile, spawn } from "node:child_process";
import { rm } from "node:fs/promises";
import path from "node:path";
import { build } from "esbuild";
import { env } from "@/lib/env";

export type End = { killed: boolean; out: string };

/** A program of these tests as a process of its own: `run` to its end, which may be by a kill, `start` to be killed by the test. */
export function program(name: string, folder = "tests/money") {
  const bundle = path.join(process.cwd(), `build/${name}-${process.pid}.mjs`);
  const settings = () => ({
    ...process.env,
    DATABASE_URL: env.DATABASE_URL,
    KUTIP_SECRET: env.KUTIP_SECRET,
    LOG_LEVEL: "silent",
  });
  return {
    make: () =>
      build({
        entryPoints: [`${folder}/${name}.ts`],
        outfile: bundle,
        bundle: true,
        platform: "node",
        format: "esm",
        packages: "external",
        logLevel: "error",
      }),
    remove: () => rm(bundle, { force: true }),
    run: (...args: string[]): Promise<End> =>
      new Promise((resolve, reject) => {
        execFile(process.execPath, [bundle, ...args], { env: settings() }, (error, out, err) => {
          if (error && error.signal !== "SIGKILL") reject(new Error(`${error.message}\n${err}`));
          else resolve({ killed: error?.signal === "SIGKILL", out });
        });
      }),
    start: (...args: string[]): ChildProcess =>
      spawn(process.execPath, [bundle, ...args], { env: settings(), stdio: "ignore" }),
  };
}
