import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import pg from "pg";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { closePool } from "@/db/client";
import { connectionOptions } from "@/db/connection";
import { startCluster, stopCluster } from "@/db/embedded/cluster";
import { makeDataFolder, placesIn } from "@/db/embedded/folder";
import { postmasterOf } from "@/db/embedded/postmaster";
import { Refusal } from "@/db/embedded/refusal";
import { hasFutureEvents, readableAfterRestore } from "@/db/events-order";
import { copySession } from "@/db/transfer/session";
import { createBusiness } from "@/lib/domain/businesses/create";
import { provideEnv } from "@/lib/env";
import { keptAddress, writeAddressFile } from "@/lib/supervisor/running";
import { SupervisorLock } from "@/lib/supervisor/supervisor-lock";
import { closeInstall, completeInstall } from "@/lib/supervisor/install";

// Servers are made and started here, which is slow on a busy machine.
vi.setConfig({ testTimeout: 90_000, hookTimeout: 90_000 });

const work = path.join(os.tmpdir(), `kutip-embedded-${process.pid}`);
const folder = path.join(work, "data");
const places = placesIn(folder);
const settings = { fsync: "off", shared_buffers: "32MB" };
const install = { places, embedded: true, startedHere: true };

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client(connectionOptions(url));
  client.on("error", () => undefined);
  await client.connect();
  return client;
}

beforeAll(async () => {
  mkdirSync(work);
  const { url } = await startCluster(folder, { settings });
  provideEnv({ DATABASE_URL: url, KUTIP_SECRET: "", KUTIP_DATA_DIR: folder });
  await completeInstall(install);
});

afterAll(async () => {
  await closePool();
  stopCluster(folder);
  rmSync(work, { recursive: true, force: true });
});

test("a server that runs already is adopted", async () => {
  expect(await startCluster(folder)).toMatchObject({ started: false });
});

test("two starts at once end with one server", async () => {
  await closePool();
  stopCluster(folder);
  const [one, two] = await Promise.all([
    startCluster(folder, { settings }),
    startCluster(folder, { settings }),
  ]);
  expect(one.url).toBe(two.url);
});

test("a server killed outright starts again with what was committed", async () => {
  await closePool();
  const before = await connect((await startCluster(folder)).url);
  await before.query("create table kept (n int)");
  await before.query("insert into kept values (1)");
  const found = postmasterOf(places.cluster);
  expect(found.state).toBe("alive");
  if (found.state === "alive") process.kill(found.pid, "SIGKILL");
  const after = await connect((await startCluster(folder, { settings })).url);
  expect((await after.query("select n from kept")).rows).toEqual([{ n: 1 }]);
  await after.end();
});

test("a folder with a long path gets its socket elsewhere", async () => {
  const long = path.join(work, "x".repeat(110));
  const { socketDir, url } = await startCluster(long, { settings });
  const client = await connect(url);
  await client.end();
  stopCluster(long);
  rmSync(socketDir, { recursive: true, force: true });
  expect(socketDir.startsWith(long)).toBe(false);
});

test.each([
  ["is a file", () => writeFileSync(path.join(work, "file"), ""), path.join(work, "file")],
  ["cannot be made", () => undefined, "/proc/kutip"],
])("a data folder that %s is refused, naming the setting", async (_, prepare, at) => {
  prepare();
  await expect(startCluster(at)).rejects.toThrow(Refusal);
  await expect(startCluster(at)).rejects.toThrow(/^the data folder .*KUTIP_DATA_DIR/);
  expect(() => makeDataFolder(at)).toThrow(/^the data folder .*KUTIP_DATA_DIR/);
});

test("the data folder of an install on another server is made too, and its address can be written down", () => {
  const at = path.join(work, "new/data");
  makeDataFolder(at);
  makeDataFolder(at);
  writeAddressFile(placesIn(at).running, "http://localhost:1");
  expect(keptAddress(placesIn(at).running)).toBe("http://localhost:1");
});

test("an address that cannot be written down is said, and stops no start", () => {
  const said = vi.spyOn(console, "error").mockImplementation(() => undefined);
  writeAddressFile(path.join(work, "absent/running.json"), "http://localhost:1");
  expect(String(said.mock.calls)).toMatch(/absent\/running\.json cannot be written \(ENOENT/);
  said.mockRestore();
});

test("data of another Postgres is refused, and the way out is named", async () => {
  const old = path.join(work, "old");
  mkdirSync(path.join(old, "postgres"), { recursive: true });
  writeFileSync(path.join(old, "postgres/PG_VERSION"), "14\n");
  await expect(startCluster(old)).rejects.toThrow(
    /made by Postgres 14, this Kutip brings 18: .*export FILE.*import FILE.*new data folder \(KUTIP_DATA_DIR\)/,
  );
});

test("the secret is made once, and a start with another one is refused", async () => {
  const kept = readFileSync(places.secret, "utf8").trim();
  provideEnv({ KUTIP_SECRET: "" });
  await completeInstall(install);
  expect(readFileSync(places.secret, "utf8").trim()).toBe(kept);
  await expect(startedWith("another-secret-another-secret-another")).rejects.toThrow(
    /another KUTIP_SECRET/,
  );
  await startedWith(kept);
});

test("a second supervisor on the same data is refused until the first is gone", async () => {
  const first = new SupervisorLock(folder, () => undefined);
  await first.take();
  const second = new SupervisorLock(folder, () => undefined);
  await expect(second.take()).rejects.toThrow(new RegExp(`process ${process.pid}`));
  await first.release();
  await second.take();
  await second.release();
});

test("a command stops the server it started, but not while another process uses it", async () => {
  const other = await connect((await startCluster(folder)).url);
  await closeInstall(install);
  expect(postmasterOf(places.cluster).state).toBe("alive");
  await other.end();
  await closeInstall(install);
  expect(postmasterOf(places.cluster).state).toBe("none");
  await startCluster(folder, { settings });
});

test("events restored on a server that counts from elsewhere become readable, in the order of their lists", async () => {
  const { id } = await createBusiness({ name: "Restored" });
  const client = await connect((await startCluster(folder)).url);
  const event = (name: string, xid: string | null) =>
    client.query(
      "insert into events (business_id, mode, id, xid, type, object_id, data, actor) values ($1, 'test', $2, coalesce($3::xid8, pg_current_xact_id()), 'payment_link.created', $2, '{}', '{\"kind\":\"operator\"}')",
      [id, name.padStart(24, "0"), xid],
    );
  const listed = async () => {
    const { rows } = await client.query<{ id: string }>(
      "select trim(leading '0' from id) as id from events where business_id = $1 and type = 'payment_link.created' order by xid, seq",
      [id],
    );
    return rows.map((row) => row.id);
  };
  await event("a", "9000000000000");
  await event("b", "9000000000002");
  await event("c", "9000000000001");
  expect(await listed()).toEqual(["a", "c", "b"]);
  expect(await hasFutureEvents()).toBe(true);
  await copySession("", readableAfterRestore);
  expect(await hasFutureEvents()).toBe(false);
  await event("d", null);
  expect(await listed()).toEqual(["a", "c", "b", "d"]);
  await client.end();
});

// Keys are derived once a process, so another secret must be in the environment before the first use.
async function startedWith(secret: string): Promise<void> {
  vi.resetModules();
  const fresh = await import("@/lib/env");
  const { url } = await startCluster(folder);
  fresh.provideEnv({ KUTIP_SECRET: secret, DATABASE_URL: url });
  const client = await import("@/db/client");
  const install = await import("@/lib/supervisor/install");
  try {
    await install.completeInstall({ places, embedded: true, startedHere: false });
  } finally {
    await client.closePool();
  }
}
