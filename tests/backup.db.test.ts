import { spawnSync } from "node:child_process";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import os from "node:os";
import path from "node:path";
import pg from "pg";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { activateSecret } from "@/db/active-secret";
import { startCluster, stopCluster } from "@/db/embedded/cluster";
import { closePool, longWork } from "@/db/client";
import { placesIn } from "@/db/embedded/folder";
import { postmasterOf } from "@/db/embedded/postmaster";
import { Refusal } from "@/db/embedded/refusal";
import { connectionOptions } from "@/db/connection";
import { provideLimits } from "@/db/limits";
import { installId } from "@/db/settings";
import { dump } from "@/db/transfer/dump";
import { env, provideEnv } from "@/lib/env";
import { checkOf, knownKeys } from "@/lib/kernel/secrets";
import { removeLeftFolders } from "@/lib/operator/leftovers";
import { physicalBackup } from "@/lib/operator/physical-backup";
import { physicalRestore } from "@/lib/operator/physical-restore";
import { completeInstall } from "@/lib/supervisor/install";
import { secretOfCopy, verifySecret } from "@/lib/supervisor/secret";

vi.mock(import("@/lib/operator/leftovers"), { spy: true });
vi.mock(import("@/lib/supervisor/secret"), { spy: true });
// Servers are made and started here, which is slow on a busy machine.
vi.setConfig({ testTimeout: 90_000, hookTimeout: 90_000 });

const work = path.join(os.tmpdir(), `kutip-backup-${process.pid}`);
const source = path.join(work, "source");
const file = path.join(work, "backup.tar.gz");
let own: Record<string, string> = {};
const settings = { fsync: "off", shared_buffers: "32MB" };

async function query<T extends pg.QueryResultRow>(url: string, statement: string): Promise<T[]> {
  const client = new pg.Client(connectionOptions(url));
  await client.connect();
  return client
    .query<T>(statement)
    .then(({ rows }) => rows)
    .finally(() => client.end());
}

beforeAll(async () => {
  mkdirSync(work);
  const { url } = await startCluster(source, { settings });
  provideEnv({ DATABASE_URL: url, KUTIP_SECRET: "", KUTIP_DATA_DIR: source });
  await completeInstall({ places: placesIn(source), embedded: true, startedHere: true });
  own = { DATABASE_URL: url, KUTIP_SECRET: env.KUTIP_SECRET ?? "", KUTIP_DATA_DIR: source };
  await physicalBackup(placesIn(source), file);
});

afterEach(() => provideLimits());
beforeEach(async () => {
  // A restore leaves settings and connections of the server that it looked at.
  provideEnv(own);
  await closePool();
});

afterAll(() => {
  stopCluster(source);
  rmSync(work, { recursive: true, force: true });
});

test("a backup made while rows are written holds every row written before it, restored with the secret", async () => {
  const { url } = await startCluster(source);
  await query(url, "create table notes (n int primary key, words text)");
  await query(
    url,
    "insert into notes select n, repeat(md5(n::text), 20) from generate_series(1, 20000) n",
  );
  let written = 20_000;
  let busy = true;
  const writer = new pg.Client(connectionOptions(url));
  await writer.connect();
  const writing = (async () => {
    while (busy) await writer.query("insert into notes values ($1, repeat('x', 500))", [++written]);
  })();
  const before = written;
  const busyFile = path.join(work, "busy.tar.gz");
  const manifest = await physicalBackup(placesIn(source), busyFile);
  busy = false;
  await writing.finally(() => writer.end());
  expect(manifest.secret).toBe(true);
  expect(statSync(busyFile).mode & 0o777).toBe(0o600);

  const target = path.join(work, "target-busy");
  const restored = await physicalRestore(target, busyFile, false);
  expect(restored.tables).toBeGreaterThan(5);
  expect(readFileSync(placesIn(target).secret, "utf8")).toBe(
    readFileSync(placesIn(source).secret, "utf8"),
  );
  const server = await startCluster(target, { settings });
  const [row] = await query<{ n: number; last: number }>(
    server.url,
    "select count(*)::int as n, max(n) as last from notes",
  );
  stopCluster(target);
  expect(row?.n).toBe(row?.last);
  expect(row?.n).toBeGreaterThanOrEqual(before);
});

test("a large database is backed up and read through although its statements take longer than a request", async () => {
  const { url } = await startCluster(source);
  await query(
    url,
    "create table large as select n, repeat(md5(n::text), 3) as words from generate_series(1, 300000) n",
  );
  provideLimits({ requestMs: 20 });
  const largeFile = path.join(work, "large.tar.gz");
  await longWork(() => physicalBackup(placesIn(source), largeFile));
  const exported = await dump(async (parts) => {
    for await (const part of parts) void part;
  }, undefined);
  await closePool();
  const { tables, rows } = await physicalRestore(path.join(work, "target-large"), largeFile, false);
  expect({ tables, rows }).toEqual(exported);
  provideLimits();
  await query(url, "drop table large");
});

test("a backup with a page that cannot be read is refused, also when the page is beside its table", async () => {
  const { url } = await startCluster(source);
  for (const statement of [
    "create table long_values (words text storage external)",
    "insert into long_values select repeat(md5(n::text), 100) from generate_series(1, 50) n",
    "vacuum (freeze) long_values",
    "checkpoint",
  ])
    await query(url, statement);
  const [values] = await query<{ at: string }>(
    url,
    "select pg_relation_filepath(reltoastrelid) as at from pg_class where relname = 'long_values'",
  );
  const onDisk = path.join(placesIn(source).cluster, values?.at ?? "");
  const whole = readFileSync(onDisk);
  const altered = Buffer.from(whole);
  altered.writeUInt32LE((altered.readUInt32LE(12_000) ^ 0xffff) >>> 0, 12_000);
  writeFileSync(onDisk, altered);
  const bad = path.join(work, "damaged.tar.gz");
  await physicalBackup(placesIn(source), bad).finally(() => writeFileSync(onDisk, whole));
  await query(url, "drop table long_values");
  await closePool();
  await expect(
    physicalRestore(path.join(work, "target-damaged"), bad, false),
  ).rejects.toMatchObject({
    name: "Refusal",
    message: expect.stringMatching(/is no usable backup \(invalid page .*\): take another one$/),
  });
});

test("a backup writes into no file that lies in its way", async () => {
  await startCluster(source);
  const [theirs, ours] = [path.join(work, "theirs"), path.join(work, "ours.tar.gz")];
  writeFileSync(theirs, "kept", { mode: 0o644 });
  for (const at of [ours, `${ours}.part`]) symlinkSync(theirs, at);
  await physicalBackup(placesIn(source), ours);
  expect(readFileSync(theirs, "utf8")).toBe("kept");
  expect([lstatSync(ours).isFile(), statSync(ours).mode & 0o777]).toEqual([true, 0o600]);
});

test("a backup during which another secret became active is refused and leaves no file", async () => {
  const { url } = await startCluster(source);
  provideEnv({ DATABASE_URL: url });
  const first = env.KUTIP_SECRET ?? "";
  const rotated = path.join(work, "rotated.tar.gz");
  vi.mocked(secretOfCopy).mockImplementationOnce(async () => {
    provideEnv({ KUTIP_SECRET: "x".repeat(32), KUTIP_SECRET_PREVIOUS: first });
    const [to, from] = knownKeys();
    await activateSecret(from ?? to, to, async () => undefined);
    return first;
  });
  try {
    await expect(physicalBackup(placesIn(source), rotated)).rejects.toThrow(/secret was replaced/);
    expect(readdirSync(work).filter((name) => name.startsWith("rotated"))).toEqual([]);
  } finally {
    provideEnv({ KUTIP_SECRET: first, KUTIP_SECRET_PREVIOUS: "" });
    await query(url, "delete from settings where key = 'secret_rotation'");
    await query(
      url,
      `update settings set value = '${checkOf(knownKeys()[0])}' where key = 'secret_check'`,
    );
  }
});

test("a restore with another secret than the backup's names the setting that has it", async () => {
  provideEnv({ KUTIP_SECRET: "another-secret-another-secret-another" });
  await expect(physicalRestore(path.join(work, "target-secret"), file, false)).rejects.toThrow(
    /than the one in the setting KUTIP_SECRET,/,
  );
});

test("what a killed restore left is removed by the next one, with its server", async () => {
  const target = path.join(work, "target-left");
  const at = (owner: number) => path.join(target, `restore-${owner}`);
  const [left, live] = [at(spawnSync("true").pid), at(process.ppid)];
  for (const one of [left, live]) mkdirSync(one, { recursive: true });
  await startCluster(left, { settings });
  const before = postmasterOf(placesIn(left).cluster).state;
  await physicalRestore(target, file, false).finally(() => stopCluster(left));
  expect([before, existsSync(left), existsSync(live)]).toEqual(["alive", false, true]);
});

test("a folder that holds a database is refused, and set aside when forced", async () => {
  const target = path.join(work, "target-held");
  await physicalRestore(target, file, false);
  await expect(physicalRestore(target, file, false)).rejects.toThrow(/--force/);
  const { setAside } = await physicalRestore(target, file, true);
  expect(setAside).toHaveLength(1);
  expect(statSync(path.join(setAside[0] ?? "", "PG_VERSION")).isFile()).toBe(true);
});

test("a restored copy gets an id of its own for its backups", async () => {
  const first = await installId();
  const copy = path.join(work, "with-id.tar.gz");
  await physicalBackup(placesIn(source), copy);
  const target = path.join(work, "target-id");
  await physicalRestore(target, copy, false);
  const { url } = await startCluster(target, { settings });
  const found = await query<{ value: string }>(
    url,
    "select value from settings where key = 'install_id'",
  ).finally(() => stopCluster(target));
  expect(found).toEqual([{ value: expect.stringMatching(/^[\da-f]{8}$/) }]);
  expect(found).not.toEqual([{ value: first }]);
});

test("a folder that is in use is refused", async () => {
  await expect(physicalRestore(source, file, true)).rejects.toThrow(/stop it/);
});

test.each([
  ["still runs", true, /stop it/],
  ["has made a database", false, /--force/],
])(
  "a folder in which an install was started while the copy was read is left as it is: it %s",
  async (_, runs, refusal) => {
    const target = path.join(work, `target-started-${runs}`);
    vi.mocked(verifySecret).mockImplementationOnce(async () => {
      await startCluster(target, { settings });
      if (!runs) stopCluster(target);
    });
    try {
      await expect(physicalRestore(target, file, runs)).rejects.toThrow(refusal);
      expect(postmasterOf(placesIn(target).cluster).state).toBe(runs ? "alive" : "none");
      expect(readdirSync(target).filter((name) => /restore/.test(name))).toEqual([]);
    } finally {
      stopCluster(target);
    }
  },
);

test.runIf(existsSync("/dev/full"))(
  "a good backup that finds no room, or a folder that cannot be written, is not called unusable",
  async () => {
    for (const [at, error] of [
      ["/dev/full", { code: "ENOSPC" }],
      ["/dev", { message: expect.stringMatching(/backup\.tar\.gz cannot be unpacked: EISDIR/) }],
    ] as const) {
      // The secret of the backup is written to this place.
      vi.mocked(removeLeftFolders).mockImplementationOnce((parent, prefix) => {
        const staging = path.join(parent, `${prefix}${process.pid}`);
        mkdirSync(staging);
        symlinkSync(at, path.join(staging, "secret"));
      });
      const target = path.join(work, "target-full");
      await expect(physicalRestore(target, file, false)).rejects.toMatchObject(error);
      expect(readdirSync(target).filter((name) => /restore/.test(name))).toEqual([]);
    }
  },
);

test("a cut or altered backup is refused and leaves nothing behind", async () => {
  const whole = readFileSync(file);
  const altered = Buffer.from(whole);
  altered.writeUInt32LE(
    (altered.readUInt32LE(altered.length >> 1) ^ 0xffff) >>> 0,
    altered.length >> 1,
  );
  for (const [name, content] of [
    ["cut", whole.subarray(0, whole.length >> 1)],
    ["altered", altered],
    ["text", Buffer.from("no backup")],
  ] as const) {
    const bad = path.join(work, name);
    writeFileSync(bad, content);
    const target = path.join(work, `target-${name}`);
    await expect(physicalRestore(target, bad, false)).rejects.toThrow(Refusal);
    expect(() => statSync(placesIn(target).cluster)).toThrow(/ENOENT/);
  }
});
