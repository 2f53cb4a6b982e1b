import { type ChildProcess, execFile, spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { promisify } from "node:util";

const exec = promisify(execFile);
const MAX_OUTPUT = 256 * 1024 * 1024;

/** Buildah with all its storage in one folder. It needs no engine: programs run under chroot. */
export type Engine = {
  call: (...args: string[]) => Promise<string>;
  start: (container: string, settings: Settings, ...command: string[]) => ChildProcess;
};
export type Settings = Record<string, string>;

/** An engine that keeps images and containers below `folder`. */
export async function openEngine(folder: string): Promise<Engine> {
  mkdirSync(folder, { recursive: true });
  const at = (name: string) => path.join(folder, name);
  // Overlays take a tenth of the room and time of copies, but not every file system has them.
  for (const driver of ["overlay", "vfs"]) {
    writeFileSync(
      at("storage.conf"),
      `[storage]\ndriver = "${driver}"\ngraphroot = "${at(`${driver}-images`)}"\nrunroot = "${at(`${driver}-run`)}"\n`,
    );
    const env = { ...process.env, CONTAINERS_STORAGE_CONF: at("storage.conf"), TMPDIR: folder };
    const call = async (...args: string[]) =>
      (await exec("buildah", args, { env, maxBuffer: MAX_OUTPUT })).stdout;
    try {
      await call("info");
    } catch (error) {
      if (driver === "vfs") throw error;
      continue;
    }
    writeFileSync(at("policy.json"), '{"default":[{"type":"insecureAcceptAnything"}]}');
    return { call, start: (...args) => startIn(env, ...args) };
  }
  throw new Error("no storage for images");
}

/** The words of `buildah run`, which ignores the image's entry point. */
export const runWords = (container: string, settings: Settings, command: string[]): string[] => [
  "run",
  "--isolation",
  "chroot",
  ...Object.entries(settings).flatMap(([name, value]) => ["--env", `${name}=${value}`]),
  container,
  "--",
  ...command,
];

function startIn(
  env: NodeJS.ProcessEnv,
  container: string,
  settings: Settings,
  ...command: string[]
): ChildProcess {
  return spawn("buildah", runWords(container, settings, command), {
    env,
    stdio: ["ignore", "inherit", "inherit"],
  });
}
