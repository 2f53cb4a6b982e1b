import { createHash } from "node:crypto";
import {
  accessSync,
  chmodSync,
  chownSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  statSync,
} from "node:fs";
import os from "node:os";
import path from "node:path";
import { env } from "@/lib/env";
import { type Account, accountFor, canReach } from "./account";
import { projectRoot } from "./project";
import { Refusal } from "./refusal";

/** The places inside a data folder. `cluster` is what Postgres calls its data directory. */
export type Places = {
  folder: string;
  cluster: string;
  log: string;
  secret: string;
  firstRun: string;
  running: string;
};

/** The places of a data folder, without touching it. */
export function placesIn(folder: string): Places {
  const at = (name: string) => path.join(folder, name);
  return {
    folder,
    cluster: at("postgres"),
    log: at("log"),
    secret: at("secret"),
    firstRun: at("first-run.json"),
    running: at("running.json"),
  };
}

/** The data folder: KUTIP_DATA_DIR, else `.data` here, else (root, in a place only root can enter) /var/lib/kutip/<name>. */
export function chosenFolder(): string {
  if (env.KUTIP_DATA_DIR) return path.resolve(projectRoot, env.KUTIP_DATA_DIR);
  const usual = path.join(projectRoot, ".data");
  if (process.getuid?.() !== 0 || canReach(projectRoot, accountFor(path.join(usual, "postgres"))))
    return usual;
  return `/var/lib/kutip/${path.basename(projectRoot)}-${shortHash(projectRoot)}`;
}

/** Makes the data folder if need be; throws a Refusal naming KUTIP_DATA_DIR when this process cannot use it. */
export function makeDataFolder(folder: string): void {
  try {
    makeFolder(folder, process.getuid?.() === 0 ? 0o755 : 0o700);
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    throw unusable(folder, (error as Error).message);
  }
}

/** The same for a database in it, which this account runs. */
export function prepareFolder(folder: string, account: Account): Places {
  const places = placesIn(folder);
  const root = account.uid !== undefined;
  makeDataFolder(folder);
  try {
    // Root's folder is entered by the user postgres, who reads only what is its own in there.
    if (root && statSync(folder).uid === 0) chmodSync(folder, 0o711);
    ownFolder(places.log, account);
  } catch (error) {
    throw unusable(folder, (error as Error).message);
  }
  if (!canReach(folder, account))
    throw unusable(folder, "the user who runs Postgres cannot enter it");
  if (existsSync(places.cluster) && !root && statSync(places.cluster).uid !== process.getuid?.()) {
    throw unusable(folder, "its database belongs to another user");
  }
  return places;
}

/** A folder for the unix socket, near the cluster if its path is short enough (107 bytes on Linux, 103 elsewhere). */
export function socketFolder(folder: string, account: Account): string {
  const fits = (at: string) => Buffer.byteLength(path.join(at, ".s.PGSQL.5432.lock")) <= 100;
  const beside = path.join(folder, "run");
  const short = [os.tmpdir(), "/tmp"]
    .map((at) => path.join(at, `kutip-${shortHash(folder)}`))
    .find(fits);
  const chosen = fits(beside) ? beside : short;
  if (!chosen) throw unusable(folder, "its path is too long for a socket");
  ownFolder(chosen, account);
  const owner = account.uid ?? process.getuid?.();
  const { uid, mode } = lstatSync(chosen);
  if (
    !lstatSync(chosen).isDirectory() ||
    (owner !== undefined && uid !== owner) ||
    (mode & 0o077) !== 0
  ) {
    throw unusable(folder, `${chosen} belongs to another user`);
  }
  return chosen;
}

// Not by `recursive`, which never ends where a file system (such as /proc) refuses with "no such file".
function makeFolder(at: string, mode: number): void {
  if (existsSync(at)) {
    if (!statSync(at).isDirectory()) throw new Error("it is a file");
    return;
  }
  makeFolder(path.dirname(at), mode);
  mkdirSync(at, { mode });
}

function ownFolder(at: string, account: Account): void {
  makeFolder(at, 0o700);
  if (
    account.uid !== undefined &&
    account.gid !== undefined &&
    lstatSync(at).isDirectory() &&
    statSync(at).uid === 0
  ) {
    chownSync(at, account.uid, account.gid);
  }
}

function unusable(folder: string, why: string): Refusal {
  return new Refusal(
    `the data folder ${folder} cannot be used (${why}): set KUTIP_DATA_DIR to a folder that can`,
  );
}

function shortHash(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 10);
}
