import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { sql } from "drizzle-orm";
import { closePool, db } from "@/db/client";
import { paymentSearchKey, restoredKey } from "@/db/setting-keys";
import { S3Peer } from "@/tests/s3-peer/server";
import type { OnClose } from "../drill-parts";
import { startTraders } from "../failover/traders";
import { type Database, startDatabase } from "../image/database";
import { until } from "../patroni/cluster";
import { expected, told } from "../proof";
import { compareRestored, compareUninformed, promisedNow, refundAtGateway } from "./books";
import { kutip } from "./command";
import { endLoad, makeStock, openScene, payStock, readFrom, type Scene, TRADERS } from "./scene";

const KEEP = 2;
const BACKUP_LIMIT_SECONDS = 90;
const DELETE_LIMIT_SECONDS = 10;
const KEY = "a passphrase for this drill alone";

/** Kutip's scheduled backups under load: in a bucket and in a folder, verified, damaged, restored. */
export async function ownBackups(folder: string, onClose: OnClose): Promise<void> {
  const databaseIn = async (name: string) => {
    const made = await startDatabase(path.join(folder, name));
    onClose(() => made.stop());
    return made;
  };
  const store = new S3Peer();
  await store.start();
  onClose(() => store.stop());
  const kept = path.join(folder, "kept");
  mkdirSync(kept, { mode: 0o700 });
  const common = { BACKUP_KEY: KEY, BACKUP_KEEP: String(KEEP) };
  const toBucket = { ...store.settings("shop/"), ...common };
  const toFolder = { BACKUP_TO: kept, ...common };

  const database = await databaseIn("database");
  const scene = await openScene(folder, database.url, onClose);
  const running = await scene.start(database.url, toBucket);
  const stock = await makeStock(scene);
  const traders = startTraders([scene.url], scene.shop.key, TRADERS);
  onClose(() => traders.stop(0));

  const first = [await nextBackup(), await nextBackup(true)];
  const promised = promisedNow(traders.seen, stock);
  const inBucket = [...first, await nextBackup(true)];
  const from = Date.now();
  await keepsNewest("bucket", inBucket, () =>
    [...store.objects.keys()].map((key) => key.replace("shop/", "")),
  );
  const sizes = [...store.objects.values()].map(({ length }) => (length / 2 ** 20).toFixed(1));
  const parts = store.calls.filter((call) => call === "PUT part").length;
  told("MiB of each, signed parts sent", `${sizes.join(", ")}; ${parts}`, parts > inBucket.length);
  expected("requests that the bucket refused", store.refusals, []);

  await running.worker.stop();
  const second = await scene.startWorker(database.url, toFolder);
  const inFolder = [await nextBackup(true), await nextBackup(true), await nextBackup(true)];
  await keepsNewest("folder", inFolder, () => readdirSync(kept));
  const refunded = refundAtGateway(scene.shop, promised.payments);
  await payStock(scene, stock.keys());
  const charges = await endLoad(scene, traders);
  await Promise.all([running.kill(), second.kill()]);
  await closePool();
  database.stop();

  await verifies(scene, { store, toBucket, toFolder, folder });
  const since = { from, stock: stock.keys(), links: traders.seen.links.keys(), refunded, charges };
  const restored = await databaseIn("restored");
  await restore(scene, restored, toBucket, store);
  const again = await scene.start(restored.url, {});
  await compareRestored(scene.shop, promised, since);
  await again.kill();

  const uninformed = await databaseIn("uninformed");
  await restore(scene, uninformed, toBucket);
  await db.execute(sql`delete from settings where key in (${restoredKey}, ${paymentSearchKey})`);
  const last = await scene.start(uninformed.url, {});
  await compareUninformed(scene.shop, charges);
  await last.kill();
}

/** The name of the next backup that the worker makes. Makes it due first, if asked: its hours are longer than this drill. */
async function nextBackup(makeDue = false): Promise<string> {
  const newest = async () => {
    const { rows } = await db.execute<{ name: string | null }>(
      sql`select last_name as name from backup_schedule`,
    );
    return rows[0]?.name ?? undefined;
  };
  const before = await newest();
  const began = performance.now();
  if (makeDue) await db.execute(sql`update backup_schedule set next_at = now()`);
  const name = await until("backup", BACKUP_LIMIT_SECONDS, async () => {
    const found = await newest();
    return found === before ? undefined : found;
  });
  told(`seconds to ${name}`, ((performance.now() - began) / 1_000).toFixed(1));
  return name;
}

/** Older backups are deleted soon after a new one is made. */
async function keepsNewest(
  name: string,
  made: readonly string[],
  list: () => string[],
): Promise<void> {
  const kept = made.slice(-KEEP).join();
  const holds = async () => list().sort().join() === kept || undefined;
  await until("end of retention", DELETE_LIMIT_SECONDS, holds).catch(() => undefined);
  expected(`of ${made.length} backups in the ${name}`, list().sort(), made.slice(-KEEP));
}

type Places = {
  store: S3Peer;
  toBucket: Record<string, string>;
  toFolder: Record<string, string>;
  folder: string;
};

/** Both stores hold a good backup. A changed byte, another passphrase and another key of the bucket are refused. */
async function verifies(
  { settings }: Scene,
  { store, toBucket, toFolder, folder }: Places,
): Promise<void> {
  for (const [name, to] of Object.entries({ bucket: toBucket, folder: toFolder })) {
    const { code, text } = await kutip(["backup:verify"], { ...settings, ...to });
    expected(`backup:verify, newest of the ${name}: exit code`, code, 0);
    told(`backup:verify, newest of the ${name}`, text.replace(/^.* is good: /, ""));
  }
  const [newest = ""] = readdirSync(toFolder.BACKUP_TO ?? "")
    .sort()
    .reverse();
  const changed = path.join(folder, `changed-${newest}`);
  const bytes = readFileSync(path.join(toFolder.BACKUP_TO ?? "", newest));
  for (const at of [100, Math.floor(bytes.length / 2), bytes.length - 100]) {
    writeFileSync(changed, flipped(bytes, at));
    const { code } = await kutip(["backup:verify", changed], { ...settings, ...toFolder });
    expected(`a changed byte, at ${at} of ${bytes.length}: exit code`, code, 1);
  }
  const passphrase = { BACKUP_KEY: `${KEY}.` };
  const other = await kutip(["backup:verify"], { ...settings, ...toFolder, ...passphrase });
  expected("another passphrase: exit code", other.code, 1);
  const key = { BACKUP_S3_SECRET_KEY: "another" };
  const refused = await kutip(["backup:list"], { ...settings, ...toBucket, ...key });
  expected("another key of the bucket: exit code", refused.code, 1);
  expected("what the bucket says to it", [...new Set(store.refusals)], ["SignatureDoesNotMatch"]);
}

function flipped(bytes: Buffer, at: number): Buffer {
  const changed = Buffer.from(bytes);
  changed[at] = (changed[at] ?? 0) ^ 1;
  return changed;
}

/** Fills an empty database with the newest backup of the bucket, which a damaged copy could not; the gateway has forgotten all idempotency keys by then. */
async function restore(
  { settings, shop }: Scene,
  { url }: Database,
  to: Record<string, string>,
  damaged?: S3Peer,
): Promise<void> {
  const env = { ...settings, ...to, DATABASE_URL: url };
  const [key = ""] = [...(damaged?.objects.keys() ?? [])].sort().reverse();
  const whole = damaged?.objects.get(key);
  if (damaged && whole) {
    damaged.objects.set(key, flipped(whole, whole.length - 100));
    const { code } = await kutip(["backup:restore"], env);
    expected("backup:restore of a changed byte: exit code", code, 1);
    damaged.objects.set(key, whole);
  }
  const began = performance.now();
  const { code, text } = await kutip(["backup:restore"], env);
  expected("backup:restore: exit code", code === 0 ? 0 : text, 0);
  told("seconds to restore", ((performance.now() - began) / 1_000).toFixed(1));
  shop.peer.forgetKeys();
  await readFrom(url);
}
