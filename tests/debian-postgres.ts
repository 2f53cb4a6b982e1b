import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { accountFor } from "@/db/embedded/account";
import { urlFor } from "@/db/embedded/cluster";

const BIN = "/usr/lib/postgresql/15/bin";

/** Whether this machine has the package postgresql-15. */
export const hasDebianPostgres: boolean = fs.existsSync(path.join(BIN, "initdb"));

/** Starts a new server of Debian's Postgres 15 in a folder that is not there yet. `url` leads to its database `postgres`. */
export function startDebianPostgres(folder: string): { url: string; stop: () => void } {
  const account = accountFor(folder);
  fs.mkdirSync(folder, { mode: 0o700 });
  if (account.uid !== undefined && account.gid !== undefined)
    fs.chownSync(folder, account.uid, account.gid);
  const tool = (name: string, ...args: string[]) => {
    const { status, stderr } = spawnSync(path.join(BIN, name), args, {
      ...account,
      cwd: "/",
      encoding: "utf8",
      stdio: ["ignore", "ignore", "pipe"],
    });
    if (status !== 0) throw new Error(`${name}: ${stderr}`);
  };
  const data = path.join(folder, "data");
  tool("initdb", "-D", data, "-U", "kutip", "--auth=trust", "--encoding=UTF8", "--locale=C");
  const settings = `-c listen_addresses='' -c unix_socket_directories='${folder}' -c fsync=off`;
  tool("pg_ctl", "-D", data, "-l", path.join(folder, "log"), "-w", "-o", settings, "start");
  return {
    url: urlFor(folder).replace("/kutip?", "/postgres?"),
    stop: () => tool("pg_ctl", "-D", data, "-m", "immediate", "stop"),
  };
}
