import {
  chownSync,
  createReadStream,
  createWriteStream,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from "node:fs";
import path from "node:path";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import { longWork } from "@/db/client";
import { type Account, accountFor } from "@/db/embedded/account";
import { POSTGRES_MAJOR, startCluster, stopCluster, howToMove } from "@/db/embedded/cluster";
import { type Places, placesIn, prepareFolder } from "@/db/embedded/folder";
import { postmasterOf } from "@/db/embedded/postmaster";
import { Refusal } from "@/db/embedded/refusal";
import { noteRestoreOn, renewInstallId } from "@/db/settings";
import { sqlStateOf } from "@/db/sql-state";
import { dump } from "@/db/transfer/dump";
import type { Part } from "@/db/transfer/parts";
import { copySession } from "@/db/transfer/session";
import { env, provideEnv } from "@/lib/env";
import { provideSecrets, verifySecret } from "@/lib/supervisor/secret";
import { removeLeftFolders, removeOnSignal } from "./leftovers";
import type { Manifest } from "./physical-backup";
import { sinceRestore } from "./since-restore";
import { entries } from "./tar";
import { isDiskFull } from "./usage";

// The class of SQLSTATE for pages and indexes that cannot be read.
const DAMAGED = "XX";
const STAGING_PREFIX = "restore-";

/** `since`: what has to be known about the time after the backup. */
export type Restored = {
  manifest: Manifest;
  tables: number;
  rows: number;
  since: string[];
  setAside: string[];
};

/**
 * Puts a physical backup into a data folder. The copy is started and read through beside it first; only then does it take
 * the place of what is there, which with `force` is set aside, never deleted.
 */
export async function physicalRestore(
  folder: string,
  file: string,
  force: boolean,
): Promise<Restored> {
  const places = placesIn(folder);
  assertReplaceable(places, force);
  const account = accountFor(places.cluster);
  prepareFolder(folder, account);
  removeLeftFolders(folder, STAGING_PREFIX);
  const staging = placesIn(path.join(folder, `${STAGING_PREFIX}${process.pid}`));
  const remove = () => {
    stopCluster(staging.folder);
    rmSync(staging.folder, { recursive: true, force: true });
  };
  const ignoreSignals = removeOnSignal(remove);
  try {
    prepareFolder(staging.folder, account);
    const manifest = await unpack(file, staging, account);
    const counts = await longWork(() => checked(file, staging, places));
    const since = await sinceRestore();
    return { manifest, ...counts, since, setAside: takePlace(staging, places, force) };
  } finally {
    remove();
    ignoreSignals();
  }
}

/** Throws a Refusal while an install runs on the data folder, and unless forced where a database is in it. */
function assertReplaceable({ folder, cluster }: Places, force: boolean): void {
  if (postmasterOf(cluster).state === "alive")
    throw new Refusal(
      `Kutip runs on ${folder}: stop it before restoring, or set KUTIP_DATA_DIR to another folder`,
    );
  if (existsSync(cluster) && !force)
    throw new Refusal(
      `${folder} holds a database already: restore with --force to set it aside, or set KUTIP_DATA_DIR to an empty folder`,
    );
}

async function unpack(file: string, staging: Places, account: Account): Promise<Manifest> {
  let files = 0;
  let manifest: Manifest | undefined;
  const own = (at: string) =>
    account.uid !== undefined &&
    account.gid !== undefined &&
    chownSync(at, account.uid, account.gid);
  const folder = (at: string) => {
    if (existsSync(at)) return;
    mkdirSync(at, { mode: 0o700 });
    own(at);
  };
  folder(staging.cluster);
  const read = createReadStream(file);
  const plain = createGunzip();
  read.on("error", (error) => plain.destroy(error));
  try {
    for await (const entry of entries(read.pipe(plain))) {
      if (entry.name === "manifest.json") {
        const parts: Buffer[] = [];
        for await (const part of entry.body) parts.push(part);
        manifest = JSON.parse(Buffer.concat(parts).toString("utf8")) as Manifest;
        continue;
      }
      const at = path.join(staging.folder, entry.name);
      if (entry.name !== "secret" && !at.startsWith(`${staging.cluster}${path.sep}`))
        throw new Error(`it holds ${entry.name}`);
      if (entry.folder) {
        folder(at);
        continue;
      }
      await pipeline(entry.body, createWriteStream(at, { mode: 0o600 }));
      if (entry.name !== "secret") own(at);
      files++;
    }
  } catch (error) {
    read.destroy();
    if (isDiskFull(error)) throw error;
    const { message } = error as Error;
    // Errors of the file system say nothing about what is in the backup.
    throw new Refusal(
      (error as { syscall?: string }).syscall === undefined
        ? `${file} is no usable backup (${message}): take another one`
        : `${file} cannot be unpacked: ${message}`,
    );
  }
  if (manifest?.format !== "kutip-physical-1" || manifest.files !== files)
    throw new Refusal(`${file} is no complete backup of Kutip: take another one`);
  if (manifest.postgres !== POSTGRES_MAJOR)
    throw new Refusal(
      `${file} was made with Postgres ${manifest.postgres}, this Kutip brings ${POSTGRES_MAJOR}. Restore it with the Kutip that made it, then ${howToMove(manifest.postgres)}`,
    );
  return manifest;
}

// Postgres itself refuses to start when the copy cannot be made consistent; reading every row looks at every checksum.
async function checked(
  file: string,
  staging: Places,
  places: Places,
): Promise<{ tables: number; rows: number }> {
  const { url } = await startCluster(staging.folder);
  // Long work prefers the direct address: all of it has to lead to the copy.
  provideEnv({ DATABASE_URL: url, DATABASE_DIRECT_URL: "" });
  const [kept, place] = existsSync(staging.secret)
    ? [staging.secret, "the backup"]
    : [places.secret, places.secret];
  const where = env.KUTIP_SECRET ? "the setting KUTIP_SECRET" : place;
  await provideSecrets(kept);
  // The schema may be an older one: what else belongs to the secret waits for the upgrade.
  await verifySecret(where);
  const counts = await dump(readThrough, undefined).catch((error: unknown) => {
    if (!sqlStateOf(error)?.startsWith(DAMAGED)) throw error;
    throw new Refusal(
      `${file} is no usable backup (${(error as Error).message}): take another one`,
    );
  });
  await copySession("", async (client) => {
    await noteRestoreOn(client);
    await renewInstallId(client);
  });
  return counts;
}

async function readThrough(parts: AsyncGenerator<Part>): Promise<void> {
  for await (const part of parts) void part;
}

function takePlace(staging: Places, places: Places, force: boolean): string[] {
  stopCluster(staging.folder);
  // The copy took minutes: an install may have been started meanwhile.
  assertReplaceable(places, force);
  const mark = `before-restore-${new Date().toISOString().replaceAll(/[:.]/g, "-")}`;
  const setAside: string[] = [];
  const replace = (from: string, to: string) => {
    if (existsSync(to)) {
      renameSync(to, `${to}.${mark}`);
      setAside.push(`${to}.${mark}`);
    }
    renameSync(from, to);
  };
  replace(staging.cluster, places.cluster);
  const same =
    existsSync(staging.secret) &&
    existsSync(places.secret) &&
    readFileSync(staging.secret).equals(readFileSync(places.secret));
  if (existsSync(staging.secret) && !same) replace(staging.secret, places.secret);
  return setAside;
}
