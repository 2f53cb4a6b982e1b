import { createWriteStream, existsSync } from "node:fs";
import { type FileHandle, open, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import path from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { connectClient } from "@/db/connection";
import { POSTGRES_MAJOR } from "@/db/embedded/cluster";
import type { Places } from "@/db/embedded/folder";
import { halfOf } from "@/lib/backups/half-file";
import { env } from "@/lib/env";
import { confirmSecretOfCopy, secretOfCopy } from "@/lib/supervisor/secret";
import { ending, header, padding } from "./tar";

/** The last entry of a backup: what it is, and how many files there must be. */
export type Manifest = {
  format: "kutip-physical-1";
  postgres: string;
  made_at: string;
  stop_lsn: string;
  files: number;
  secret: boolean;
};

// Files that a copy of a running server must not hold.
const LEFT_OUT =
  /^(postmaster\.(pid|opts)|backup_label(\.old)?|tablespace_map(\.old)?|backup_manifest|current_logfiles)$|(^|\/)(pgsql_tmp[^/]*|pg_internal\.init[^/]*)$/;
// Folders that the server fills anew.
const EMPTIED =
  /^(pg_wal|pg_replslot|pg_dynshmem|pg_notify|pg_serial|pg_snapshots|pg_stat_tmp|pg_subtrans|log)\//;
const CONTROL = "global/pg_control";
const CHUNK = 1 << 20;

/** Writes a consistent copy of the running embedded server, with the secret, to `file` (mode 0600, .tar.gz). */
export async function physicalBackup(places: Places, file: string): Promise<Manifest> {
  const active = await secretOfCopy();
  const secret = existsSync(places.secret) ? active : undefined;
  const half = halfOf(file);
  let manifest: Manifest | undefined;
  const write = async function* () {
    manifest = yield* archive(places, secret, () => confirmSecretOfCopy(active));
  };
  try {
    await pipeline(
      Readable.from(write(), { objectMode: false }),
      createGzip({ level: 1 }),
      // Never into a file that is there: it may be readable by others, or lead to another file.
      createWriteStream(half, { flags: "wx", mode: 0o600, flush: true }),
    );
    await rename(half, file);
  } catch (error) {
    await rm(half, { force: true });
    throw error;
  }
  return manifest as Manifest;
}

async function* archive(
  places: Places,
  secret: string | undefined,
  confirm: () => Promise<void>,
): AsyncGenerator<Buffer, Manifest> {
  const client = await connectClient(env.DATABASE_URL, { application_name: "kutip backup" });
  let files = 0;
  try {
    // The slot keeps every WAL file from here on until the session ends; the checkpoint is asked for at once.
    await client.query("select pg_create_physical_replication_slot($1, true, true)", [
      `kutip_backup_${process.pid}`,
    ]);
    await client.query("select pg_backup_start('kutip backup', true)");
    for (const name of await tree(places.cluster)) {
      const written = yield* copied(path.join(places.cluster, name), `postgres/${name}`);
      if (written) files++;
    }
    const control = await settled(path.join(places.cluster, CONTROL));
    yield* inline(`postgres/${CONTROL}`, control);
    const { rows } = await client.query<{ lsn: string; last: string; labelfile: string }>(
      "select lsn, pg_walfile_name(lsn) as last, labelfile from pg_backup_stop(false)",
    );
    const stopped = rows[0];
    const first = /\(file ([0-9A-F]{24})\)/.exec(stopped?.labelfile ?? "")?.[1];
    if (!stopped || !first) throw new Error("Postgres gave no label for the backup");
    await confirm();
    yield* inline("postgres/backup_label", Buffer.from(stopped.labelfile));
    files += 2;
    for (const name of (await readdir(path.join(places.cluster, "pg_wal"))).sort()) {
      const wanted =
        name.endsWith(".history") ||
        (/^[0-9A-F]{24}$/.test(name) && name >= first && name <= stopped.last);
      if (
        wanted &&
        (yield* copied(path.join(places.cluster, "pg_wal", name), `postgres/pg_wal/${name}`))
      )
        files++;
    }
    if (secret !== undefined) {
      yield* inline("secret", Buffer.from(`${secret}\n`));
      files++;
    }
    const manifest: Manifest = {
      format: "kutip-physical-1",
      postgres: POSTGRES_MAJOR,
      made_at: new Date().toISOString(),
      stop_lsn: stopped.lsn,
      files,
      secret: secret !== undefined,
    };
    yield* inline("manifest.json", Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`));
    yield ending();
    return manifest;
  } finally {
    await client.end();
  }
}

async function tree(cluster: string): Promise<string[]> {
  const names = (await readdir(cluster, { recursive: true })).map((name) =>
    name.split(path.sep).join("/"),
  );
  return names
    .filter((name) => !LEFT_OUT.test(name) && !EMPTIED.test(name) && name !== CONTROL)
    .sort();
}

// Returns whether it was a file. Files change and vanish meanwhile; replaying the WAL corrects both.
async function* copied(from: string, name: string): AsyncGenerator<Buffer, boolean> {
  let handle: FileHandle;
  try {
    const found = await stat(from);
    if (found.isDirectory()) {
      yield header(name, 0, true, found.mtimeMs / 1000);
      return false;
    }
    handle = await open(from);
  } catch (error) {
    if ((error as { code?: string }).code === "ENOENT") return false;
    throw error;
  }
  try {
    const { size, mtimeMs } = await handle.stat();
    yield header(name, size, false, mtimeMs / 1000);
    for (let at = 0; at < size; ) {
      const chunk = Buffer.alloc(Math.min(CHUNK, size - at));
      const { bytesRead } = await handle.read(chunk, 0, chunk.length, at);
      // Cut shorter meanwhile: zeroes, as Postgres's own tools write them.
      const part = bytesRead === 0 ? chunk : chunk.subarray(0, bytesRead);
      at += part.length;
      yield part;
    }
    yield padding(size);
    return true;
  } finally {
    await handle.close();
  }
}

function* inline(name: string, content: Buffer) {
  yield header(name, content.length, false, Date.now() / 1000);
  yield content;
  yield padding(content.length);
}

// Read until twice the same: a checkpoint may be writing it.
async function settled(file: string): Promise<Buffer> {
  for (let before = await readFile(file); ; ) {
    const now = await readFile(file);
    if (now.equals(before)) return now;
    before = now;
  }
}
