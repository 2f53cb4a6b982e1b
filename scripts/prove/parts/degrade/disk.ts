import {
  chownSync,
  cpSync,
  lstatSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from "node:fs";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import { startCluster, stopCluster, urlFor } from "@/db/embedded/cluster";
import { placesIn } from "@/db/embedded/folder";
import { postmasterOf } from "@/db/embedded/postmaster";
import { provideEnv } from "@/lib/env";
import { StripePeer } from "@/tests/stripe-peer/peer";
import { until } from "../patroni/cluster";
import { expected, told } from "../proof";
import { noLimits, type Service, startService } from "../service";
import { fillDisk, freeBytes, mountDisk } from "./ballast";
import { tellAnswers } from "./callers";
import { startTrade, type Trade } from "./trade";

const DATA_MB = 256;
const WAL_MB = 384;
const FULL_SECONDS = 20;
const BACK_SECONDS = 15;
const PATIENCE_SECONDS = 90;
const RENEWALS = 150;
const READS_REFUSED = 0.01;
/** A statement waits for a place and then for its end: docs/decisions/database-connections.md. */
const REQUEST_SECONDS = 6 + 10;

type Disks = { data: string; wal: string };
type Scene = { disks: Disks; cluster: string; log: string; service: Service; trade: Trade };

/** The whole install on two small disks, one for the data folder and one for Postgres's log of writes, which are filled in turn and together. */
export async function fullDisk(folder: string, onClose: (clean: () => unknown) => void) {
  const scene = await open(folder, onClose);
  await dataIsFull(scene);
  await walIsFull(scene, "log of writes full", [scene.disks.wal]);
  await walIsFull(scene, "both full", [scene.disks.data, scene.disks.wal]);
  await withoutSupervisor(scene);
  await scene.trade.close();
  await scene.service.stop();
}

async function open(folder: string, onClose: (clean: () => unknown) => void): Promise<Scene> {
  const disks = { data: path.join(folder, "data"), wal: path.join(folder, "wal") };
  mountDisk(disks.data, DATA_MB);
  mountDisk(disks.wal, WAL_MB);
  const { cluster, log } = placesIn(disks.data);
  await startCluster(disks.data);
  stopCluster(disks.data);
  moveLog(path.join(cluster, "pg_wal"), path.join(disks.wal, "pg_wal"));
  const peer = await new StripePeer().start();
  onClose(() => peer.stop());
  const service = await startService(
    { ...noLimits, KUTIP_SECRET: "", STRIPE_API_URL: peer.origin },
    { folder: disks.data, log: path.join(folder, "install.log") },
  );
  onClose(() => service.stop());
  service.join();
  provideEnv({ STRIPE_API_URL: peer.origin });
  const pids = { web: () => service.pidOf("web"), worker: () => service.pidOf("worker") };
  const trade = await startTrade(peer, service.url, pids, RENEWALS);
  onClose(() => trade.abandon());
  await until("write", PATIENCE_SECONDS, async () => trade.callers.links.size > 0 || undefined);
  return { disks, cluster, log, service, trade };
}

/** As operators do who give Postgres's log of writes a disk of its own. */
function moveLog(from: string, to: string): void {
  const { uid, gid } = lstatSync(from);
  cpSync(from, to, { recursive: true });
  const own = (at: string) => {
    chownSync(at, uid, gid);
    if (lstatSync(at).isDirectory()) for (const name of readdirSync(at)) own(path.join(at, name));
  };
  own(to);
  rmSync(from, { recursive: true });
  symlinkSync(to, from);
}

const writesRefused = ({ callers }: Trade) => {
  const tally = callers.next();
  return until(
    "write that is refused",
    PATIENCE_SECONDS,
    async () => (tally.create.counts["503"] ?? 0) > 0 || undefined,
  );
};

/** Postgres lives, its tables cannot grow: what only reads goes on. */
async function dataIsFull({ disks, cluster, log, trade }: Scene): Promise<void> {
  const name = "data full";
  const before = serverOf(cluster);
  const drop = fillDisk(disks.data);
  try {
    await writesRefused(trade);
    const tally = trade.callers.next();
    await pause(FULL_SECONDS * 1_000);
    told(`${name}: free bytes`, freeBytes(disks.data));
    tellAnswers(name, tally, ["create"], {
      only: ["200", "503"],
      seen: "503",
      mostSeconds: REQUEST_SECONDS,
    });
    // Postgres may refuse a new session, which a pool needs now and then.
    tellAnswers(name, tally, ["get", "list", "pay page"], {
      only: ["200", "503"],
      seen: "200",
      mostRefused: READS_REFUSED,
    });
    tellAnswers(name, tally, ["live"], { only: ["200"] });
    tellAnswers(name, tally, ["ready"], { only: ["200", "503"] });
    expected(`${name}: Postgres is still the same process`, serverOf(cluster), before);
  } finally {
    drop();
  }
  tellBack(name, await trade.back(performance.now()));
  told(`${name}: lines of Postgres about it`, complaints(log), complaints(log) > 0);
}

/** Postgres ends, since it can log no write: nothing but 503, and its supervisor starts it when there is room. */
async function walIsFull(scene: Scene, name: string, full: string[]): Promise<void> {
  const { cluster, trade } = scene;
  const drop = await fillUntilDown(scene, full);
  try {
    const tally = trade.callers.next();
    await pause(FULL_SECONDS * 1_000);
    tellAnswers(name, tally, ["create"], {
      only: ["200", "503"],
      seen: "503",
      mostSeconds: REQUEST_SECONDS,
    });
    tellAnswers(name, tally, ["get", "list", "pay page"], {
      only: ["200", "503"],
      mostSeconds: REQUEST_SECONDS,
    });
    tellAnswers(name, tally, ["live"], { only: ["200"] });
    tellAnswers(name, tally, ["ready"], { only: ["200", "503"], seen: "503" });
    told(`${name}: Postgres`, postmasterOf(cluster).state);
  } finally {
    drop();
  }
  tellBack(name, await trade.back(performance.now()));
}

/** The same with the protection off: nothing starts Postgres again. */
async function withoutSupervisor(scene: Scene): Promise<void> {
  const { service, trade, disks, cluster } = scene;
  const name = "without its supervisor";
  service.signal("SIGSTOP");
  try {
    const drop = await fillUntilDown(scene, [disks.wal]);
    drop();
    const tally = trade.callers.next();
    await pause(BACK_SECONDS * 1_000);
    told(
      `${name}: writes within ${BACK_SECONDS} s of room`,
      tally.create.counts["200"] ?? 0,
      (tally.create.counts["200"] ?? 0) === 0,
    );
    told(`${name}: Postgres`, postmasterOf(cluster).state);
  } finally {
    service.signal("SIGCONT");
  }
  tellBack("its supervisor goes on", await trade.back(performance.now()));
}

/** Fills disks, then writes to Postgres's log until the server has ended. Returns how to make room. */
async function fillUntilDown({ cluster }: Scene, full: readonly string[]): Promise<() => void> {
  const { socketDir = "" } = alive(cluster) ?? {};
  const drops = full.map((disk) => fillDisk(disk));
  const drop = () => {
    for (const one of drops) one();
  };
  try {
    await until("end of Postgres", PATIENCE_SECONDS, async () => {
      await writeLog(urlFor(socketDir));
      return alive(cluster) === undefined || undefined;
    });
    return drop;
  } catch (error) {
    drop();
    throw error;
  }
}

/** Another writer of the same server, until it is refused. */
async function writeLog(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000 });
  client.on("error", () => undefined);
  try {
    await client.connect();
    for (;;)
      await client.query("select pg_logical_emit_message(true, 'drill', repeat('x', 65536))");
  } catch {
    await client.end().catch(() => undefined);
  }
}

function alive(cluster: string) {
  const found = postmasterOf(cluster);
  return found.state === "alive" ? found : undefined;
}

const serverOf = (cluster: string) => alive(cluster)?.pid;

function complaints(log: string): number {
  const text = readdirSync(log).map((name) => readFileSync(path.join(log, name), "utf8"));
  return text.join("").split("No space left on device").length - 1;
}

function tellBack(name: string, { writes, worker }: { writes: number; worker: number }): void {
  told(
    `${name}: seconds to writes after room, worker`,
    `${writes.toFixed(1)}, ${worker.toFixed(1)}`,
    writes <= BACK_SECONDS,
  );
}
