import { spawnSync } from "node:child_process";
import { existsSync, statSync } from "node:fs";
import path from "node:path";
import { Refusal } from "./refusal";

/** The user that runs Postgres: the user of this process, or another one when this process is root. */
export type Account = { uid?: number; gid?: number };

/** Postgres refuses to run as root, so root runs it as the owner of the data, or as the user `postgres`, made when absent. */
export function accountFor(cluster: string): Account {
  if (process.getuid?.() !== 0) return {};
  if (existsSync(cluster)) {
    const { uid, gid } = statSync(cluster);
    if (uid !== 0) return { uid, gid };
  }
  const found = lookUp();
  if (found) return found;
  const made = spawnSync(
    "useradd",
    [
      "--system",
      "--user-group",
      "--no-create-home",
      "--home-dir",
      "/nonexistent",
      "--shell",
      "/bin/false",
      "postgres",
    ],
    { encoding: "utf8" },
  );
  if (made.status !== 0) spawnSync("adduser", ["-S", "-D", "-H", "postgres"]);
  const again = lookUp();
  if (again) return again;
  throw new Refusal(
    "Postgres does not run as root and the user postgres could not be made: start Kutip as a normal user, or run `useradd --system postgres`",
  );
}

/** Whether that user can read, write or enter (r, w, x) a path. */
export function canAccess(target: string, account: Account, right: "r" | "w" | "x"): boolean {
  return spawnSync("test", [`-${right}`, target], { ...account, cwd: "/" }).status === 0;
}

/** Whether that user can reach a folder which may not exist yet. */
export function canReach(folder: string, account: Account): boolean {
  if (existsSync(folder)) return canAccess(folder, account, "x");
  const above = path.dirname(folder);
  return above !== folder && canReach(above, account);
}

function lookUp(): Account | null {
  const [uid, gid] = ["-u", "-g"].map((flag) =>
    spawnSync("id", [flag, "postgres"], { encoding: "utf8" }),
  );
  if (uid?.status !== 0 || gid?.status !== 0) return null;
  return { uid: Number(uid.stdout), gid: Number(gid.stdout) };
}
