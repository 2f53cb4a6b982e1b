import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import path from "node:path";

/** The exit code of a drill that could not run here; it never counts as passed. */
export const NOT_RUN = 77;

/** A program that a drill needs, and the Debian package that has it. */
export type Need = { program: string; package: string };

const isThere = (program: string) =>
  [...(process.env.PATH ?? "").split(path.delimiter), "/usr/sbin", "/sbin"].some((folder) =>
    existsSync(path.join(folder, program)),
  );

/** Ends this process with NOT_RUN, naming what the machine lacks for a drill. `--install` brings missing programs from Debian's packages first. */
export function requireMachine(needs: readonly Need[], { root }: { root: boolean }): void {
  if (root && process.getuid?.() !== 0) refuse("it needs root: sudo npm run prove -- …");
  const missing = () => needs.filter(({ program }) => !isThere(program));
  if (missing().length > 0 && process.argv.includes("--install")) {
    const packages = [...new Set(missing().map((need) => need.package))];
    console.log(`  installing ${packages.join(", ")}`);
    aptGet("update");
    aptGet("install", "--yes", "--no-install-recommends", ...packages);
  }
  if (missing().length > 0)
    refuse(
      `this machine lacks ${missing()
        .map((need) => `${need.program} (Debian package ${need.package})`)
        .join(", ")}; --install brings what is missing`,
    );
}

function refuse(text: string): never {
  console.error(`  NOT RUN  ${text}`);
  process.exit(NOT_RUN);
}

function aptGet(...args: string[]): void {
  const { status, stderr } = spawnSync("apt-get", ["--quiet=2", ...args], {
    encoding: "utf8",
    env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
    maxBuffer: 64 * 1024 * 1024,
  });
  if (status !== 0) console.error(stderr);
}
