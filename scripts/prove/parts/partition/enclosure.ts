import { spawn } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";

const INSIDE = "--inside=";

/**
 * Runs this drill again in namespaces of its own for network, mounts and processes, and returns the drill's folder there. Outside it never
 * returns: when the drill ends, or on a signal, the kernel ends every process and network inside, and the folder is removed.
 */
export async function enclosed(name: string): Promise<string> {
  const inside = process.argv.find((word) => word.startsWith(INSIDE));
  if (inside) return inside.slice(INSIDE.length);
  const folder = mkdtempSync(path.join(os.tmpdir(), `kutip-${name}-`));
  chmodSync(folder, 0o755);
  const [script = "", ...options] = process.argv.slice(1);
  const again = [process.execPath, "--enable-source-maps", script, ...options, INSIDE + folder];
  // The first process of such a namespace has to reap those that lost their parent: the shell does.
  const child = spawn(
    "unshare",
    [
      ...["--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"],
      ...["sh", "-c", '"$@" & wait $!', "drill", ...again],
    ],
    {
      stdio: ["ignore", "inherit", "inherit"],
      detached: true,
      env: { ...process.env, LOG_LEVEL: "silent" },
    },
  );
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
    process.on(signal, () => child.kill("SIGKILL"));
  const code = await new Promise<number>((resolve) => {
    child.on("error", () => resolve(1));
    child.on("exit", (found) => resolve(found ?? 130));
  });
  if (process.argv.includes("--keep")) console.log(`  logs are in ${folder}`);
  else rmSync(folder, { recursive: true, force: true });
  process.exit(code);
}
