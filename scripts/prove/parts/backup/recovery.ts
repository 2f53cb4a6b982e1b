import { randomBytes } from "node:crypto";
import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { sql } from "drizzle-orm";
import { closePool, db } from "@/db/client";
import type { OnClose } from "../drill-parts";
import { chargesOf, keptOf } from "../failover/shop";
import { startTraders } from "../failover/traders";
import { until } from "../patroni/cluster";
import { expected, told } from "../proof";
import { compareRestored, compareUninformed, promisedNow, refundAtGateway } from "./books";
import { kutip } from "./command";
import { type Server, startServer } from "./pgbackrest";
import { endLoad, makeStock, openScene, payStock, readFrom, type Scene, TRADERS } from "./scene";

const LOAD_SECONDS = 10;
/** A process counts as live for so long after it was seen, also in a database that went back. */
const LIVE_SECONDS = 20;
/** `archive_timeout`, and the machine's own delay. */
const ARCHIVE_SECONDS = 60 + 30;

/** Postgres goes back to the moment before a mistake: what pgBackRest archived, and what the gateway took since. */
export async function recovery(folder: string, onClose: OnClose): Promise<void> {
  const at = path.join(folder, "recovery");
  const server = await startServer(at, randomBytes(32).toString("base64"));
  onClose(() => server.stop());
  const scene = await openScene(folder, server.url, onClose);
  await server.backrest("stanza-create");
  await server.backrest("check");
  const running = await scene.start(server.url);
  const stock = await makeStock(scene);
  const traders = startTraders([scene.url], scene.shop.key, TRADERS);
  onClose(() => traders.stop(0));
  await pause(LOAD_SECONDS * 1_000);
  const began = performance.now();
  await server.backrest("backup");
  told("seconds to back up under load", ((performance.now() - began) / 1_000).toFixed(1));
  tellEncrypted(path.join(at, "repository"));
  await pause(LOAD_SECONDS * 1_000);

  const promised = promisedNow(traders.seen, stock);
  const { rows } = await db.execute<{ moment: string }>(
    sql`select to_char(now() at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS.US"+00"') as moment`,
  );
  const moment = rows[0]?.moment ?? "";
  const from = Date.now();
  await pause(LOAD_SECONDS * 1_000);
  const refunded = refundAtGateway(scene.shop, promised.payments);
  await payStock(scene, stock.keys());
  const charges = await endLoad(scene, traders);
  await running.kill();
  await db.execute(sql`drop table payment_links, payments cascade`);
  expected("tables of links and payments after a mistake", await countTables(), 0);
  await closePool();
  await server.stop();

  const went = performance.now();
  await server.backrest("restore", moment);
  await server.start();
  told(`seconds back to ${moment}`, ((performance.now() - went) / 1_000).toFixed(1));
  await pause(Math.max(0, from + LIVE_SECONDS * 1_000 - Date.now()));
  const informed = await kutip(["backup:restored"], {
    ...scene.settings,
    DATABASE_URL: server.url,
  });
  expected("backup:restored: exit code", informed.code === 0 ? 0 : informed.text, 0);
  scene.shop.peer.forgetKeys();
  await readFrom(server.url);
  const again = await scene.start(server.url);
  const since = { from, stock: stock.keys(), links: traders.seen.links.keys(), refunded, charges };
  await compareRestored(scene.shop, promised, since);
  await losesMachine(scene, server, onClose);
  await again.kill();

  const toMoment = ["--type=time", `--target=${moment}`, "--target-action=promote"];
  const uninformed = await other(server, "uninformed", toMoment, onClose);
  scene.shop.peer.forgetKeys();
  const chargesNow = chargesOf(scene.shop).length;
  const last = await scene.start(uninformed.url);
  await compareUninformed(scene.shop, chargesNow);
  await last.kill();

  await other(server, "unarchived", ["--type=immediate", "--target-action=promote"], onClose);
  const { links } = await keptOf(scene.shop);
  const lost = [...promised.links.keys()].filter((id) => !links.has(id)).length;
  told("without archived changes: acknowledged links lost", lost, lost > 0);
}

/** The machine is lost. All that was archived comes back: at the latest what is a minute old. */
async function losesMachine(scene: Scene, server: Server, onClose: OnClose): Promise<void> {
  const traders = startTraders([scene.url], scene.shop.key, TRADERS);
  onClose(() => traders.stop(0));
  await pause(LOAD_SECONDS * 1_000);
  const { links } = promisedNow(traders.seen);
  const began = performance.now();
  const { rows } = await db.execute<{ file: string }>(
    sql`select pg_walfile_name(pg_current_wal_lsn()) as file`,
  );
  await until("archived change", ARCHIVE_SECONDS, async () => {
    const archived = await db.execute<{ n: number }>(
      sql`select 1 as n from pg_stat_archiver where last_archived_wal ~ '^[0-9A-F]{24}$' and last_archived_wal >= ${rows[0]?.file}`,
    );
    return archived.rows[0];
  });
  told("seconds until changes are archived", ((performance.now() - began) / 1_000).toFixed(1));
  await pause(LOAD_SECONDS * 500);
  await closePool();
  await server.kill();
  await traders.stop(0);

  await other(server, "replaced", [], onClose);
  const kept = await keptOf(scene.shop);
  told("links acknowledged when they were archived", links.size, links.size > 0);
  expected(
    "of these lost with the machine",
    [...links.keys()].filter((id) => !kept.links.has(id)),
    [],
  );
  const all = [...traders.seen.links.keys()];
  told("links of the last seconds lost", all.filter((id) => !kept.links.has(id)).length);
}

/** Another server from the same repository, which this process reads from now on. */
async function other(
  server: Server,
  name: string,
  options: readonly string[],
  onClose: OnClose,
): Promise<Server> {
  const made = await server.restored(name, options);
  onClose(() => made.stop());
  await made.start();
  await readFrom(made.url);
  return made;
}

async function countTables(): Promise<number> {
  const { rows } = await db.execute<{ n: number }>(
    sql`select count(*)::int as n from pg_tables where tablename in ('payment_links', 'payments')`,
  );
  return rows[0]?.n ?? 0;
}

/** Every file of rows and changes in the repository begins as OpenSSL begins encrypted files. */
function tellEncrypted(repository: string): void {
  const files = globSync("{archive,backup}/**/*.zst", { cwd: repository });
  const open = files.filter(
    (file) => readFileSync(path.join(repository, file)).toString("latin1", 0, 8) !== "Salted__",
  );
  told("files in the repository", files.length, files.length > 0);
  expected("of these not encrypted", open, []);
}
