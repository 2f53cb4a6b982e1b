import { randomBytes } from "node:crypto";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { closePool } from "@/db/client";
import { migrateDatabase } from "@/db/migrate";
import { provideEnv } from "@/lib/env";
import { StripePeer } from "@/tests/stripe-peer/peer";
import { compareBooks } from "./parts/failover/books";
import { type Web, workerBack, writesBack } from "./parts/failover/probes";
import { chargesOf, type GatewayShop, keptOf, openGatewayShop } from "./parts/failover/shop";
import { compare, settle } from "./parts/failover/settling";
import { startTraders, type Traders } from "./parts/failover/traders";
import { requireMachine } from "./parts/machine";
import { numberOption } from "./parts/options";
import { type Cluster, NEEDS, startHaproxy, startNodes, until } from "./parts/patroni/cluster";
import { addressOf, type Node } from "./parts/patroni/config";
import { endChild, type Process, processOf } from "./parts/processes";
import { expected, prove, told } from "./parts/proof";
import { freePort } from "./parts/service";

// Three database nodes under Patroni, two web and two worker processes. The primary's Postgres is killed again and again under load, then its whole
// node: nothing acknowledged is lost, no payer is charged twice, and writes are back soon. With an asynchronous standby writes are lost.
const KILLS = numberOption("kills", process.argv.includes("--short") ? 3 : 10);
const BACK_SECONDS = 10;
const TTL_SECONDS = 20;
const NODE_BACK_SECONDS = TTL_SECONDS + 10;
const PATIENCE_SECONDS = 60;
const TRADERS = 6;
const RENEWALS_PER_SECOND = 2;
const SECONDS_PER_KILL = 25;
const HELD_BACK_SECONDS = 4;
const LIMIT_SECONDS = 60 * 60;

type Kutip = { name: string; entry: "server" | "worker"; url: string; process: Process };
type Scene = {
  cluster: Cluster;
  kutips: Kutip[];
  webs: Web[];
  shop: GatewayShop;
  traders: Traders;
  began: number;
};

requireMachine(NEEDS, { root: false });
const folder = mkdtempSync(path.join(os.tmpdir(), "kutip-failover-"));
chmodSync(folder, 0o755);
const cleaners = new Set<() => unknown>();

await prove(work, cleanUp, LIMIT_SECONDS);

async function work(): Promise<void> {
  const safe = await open("synchronous", KILLS * RENEWALS_PER_SECOND * SECONDS_PER_KILL);
  const pids = safe.kutips.map(({ process: one }) => one.pid());
  let inCharges = 0;
  for (let kill = 1; kill <= KILLS; kill++) if (await killPrimary(safe, kill)) inCharges++;
  told("kills in a charge", inCharges, inCharges > 0);
  await killWholeNode(safe);
  await safe.traders.stop(60);
  tellLoad(safe);
  await settle(safe.shop);
  expected(
    "Kutip processes that ended or were started again",
    safe.kutips.filter(({ process: one }, at) => one.pid() !== pids[at]).map(({ name }) => name),
    [],
  );
  await compare(safe.shop, safe.traders.seen);
  await close();

  const unsafe = await open("asynchronous", 0);
  await losesWrites(unsafe);
  await close();
}

/** Starts nodes, HAProxy, a gateway, Kutip and its callers. */
async function open(mode: "synchronous" | "asynchronous", renewals: number): Promise<Scene> {
  const at = path.join(folder, mode);
  const nodes: Node[] = [];
  for (const name of ["pg1", "pg2", "pg3"])
    nodes.push({
      name,
      host: "127.0.0.1",
      ports: {
        postgres: await freePort(),
        patroni: await freePort(),
        etcd: await freePort(),
        peer: await freePort(),
      },
      folder: path.join(at, name),
    });
  const word = () => randomBytes(12).toString("hex");
  const passwords = { postgres: word(), replicator: word(), kutip: word() };
  const port = await freePort();
  const cluster = await startNodes(nodes, passwords, {
    mode,
    onStart: (started) => {
      cleaners.add(() => started.stop());
      // It takes each node for the primary until its first check, so it starts before anything is written.
      const haproxy = startHaproxy(nodes, at, port);
      cleaners.add(() => endChild(haproxy, "SIGKILL"));
    },
  });
  const peer = await new StripePeer().start();
  cleaners.add(() => peer.stop());

  const byHosts = addressOf(nodes, passwords.kutip);
  const byHaproxy = `postgres://kutip:${passwords.kutip}@127.0.0.1:${port}/kutip`;
  const settings = { KUTIP_SECRET: word() + word(), STRIPE_API_URL: peer.origin };
  provideEnv({ ...settings, DATABASE_URL: byHaproxy, LOG_LEVEL: "silent" });
  await migrateDatabase();
  const ports = [await freePort(), await freePort(), await freePort(), await freePort()];
  const shop = await openGatewayShop(peer, `http://127.0.0.1:${ports[0]}`, {
    renewals,
    perSecond: RENEWALS_PER_SECOND,
  });
  const kutips = [
    await startKutip("web by HAProxy", "server", byHaproxy, settings, ports[0]),
    await startKutip("web by hosts", "server", byHosts, settings, ports[1]),
    await startKutip("worker by HAProxy", "worker", byHaproxy, settings, ports[2]),
    await startKutip("worker by hosts", "worker", byHosts, settings, ports[3]),
  ];
  const webs = kutips.filter(({ entry }) => entry === "server");
  const traders = startTraders(
    webs.map(({ url }) => url),
    shop.key,
    TRADERS,
  );
  cleaners.add(() => traders.stop(0));
  return { cluster, kutips, webs, shop, traders, began: performance.now() };
}

async function startKutip(
  name: string,
  entry: "server" | "worker",
  address: string,
  settings: Record<string, string>,
  port = 0,
): Promise<Kutip> {
  const url = `http://127.0.0.1:${port}`;
  const set = {
    ...settings,
    DATABASE_URL: address,
    PORT: String(port),
    BASE_URL: url,
    METRICS_ADDRESS: `127.0.0.1:${await freePort()}`,
    LOG_LEVEL: "warn",
    RATE_LIMIT_KEY: "0",
    RATE_LIMIT_BUSINESS: "0",
    RATE_LIMIT_PAYER: "0",
    WEBHOOK_ALLOW_PRIVATE: "true",
  };
  const started = processOf(entry, set, {
    log: path.join(folder, `${name.replaceAll(" ", "-")}.log`),
  });
  cleaners.add(() => started.kill());
  await started.start();
  return { name, entry, url, process: started };
}

function load(): string {
  return `load average ${os.loadavg()[0]?.toFixed(1)}`;
}

function seconds(all: readonly number[]): string {
  return all.map((one) => one.toFixed(1)).join(", ");
}

/** Returns whether a charge was under way, as every second time it should be. */
async function killPrimary(scene: Scene, kill: number): Promise<boolean> {
  const { cluster, shop } = scene;
  // A node that was killed before is back: while it is not, two of three are lost, and writes wait until one of them has been rewound.
  await cluster.untilStandbys(2);
  const inCharge = kill % 2 === 1 && (await holdCharge(shop));
  const primary = await cluster.untilLeader();
  const since = performance.now();
  cluster.killPostgres(primary);
  if (inCharge) setTimeout(inCharge, 1_000);
  const back = await backAfter(scene, since);
  told(
    `kill ${kill}, ${primary.name}${inCharge ? " in a charge" : ""}: seconds to writes`,
    `${seconds(back.webs)}; workers ${seconds(back.workers)}; ${load()}`,
    Math.max(...back.webs) <= BACK_SECONDS,
  );
  return inCharge !== false;
}

async function killWholeNode(scene: Scene): Promise<void> {
  const { cluster } = scene;
  await cluster.untilStandbys(2);
  const primary = await cluster.untilLeader();
  const since = performance.now();
  cluster.killNode(primary);
  const back = await backAfter(scene, since);
  told(
    `whole node ${primary.name}, ttl ${TTL_SECONDS} s: seconds to writes`,
    `${seconds(back.webs)}; workers ${seconds(back.workers)}; ${load()}`,
    Math.max(...back.webs) <= NODE_BACK_SECONDS,
  );
  cluster.startNode(primary);
  await cluster.untilStandbys(2);
  told("the node is a standby again after s", ((performance.now() - since) / 1_000).toFixed(1));
}

/** Seconds until each web process acknowledges a write, and until each worker reports. */
async function backAfter(
  { webs, shop, traders, kutips }: Scene,
  since: number,
): Promise<{ webs: number[]; workers: number[] }> {
  const answering = writesBack(webs, shop.key, since, PATIENCE_SECONDS, traders.seen.links);
  const workers = kutips.filter(({ entry }) => entry === "worker");
  const reporting = workers.map(({ name, process: worker }) =>
    workerBack(name, worker, since, PATIENCE_SECONDS),
  );
  return { webs: await answering, workers: await Promise.all(reporting) };
}

/** Waits until the gateway has charged and keeps its answer back; returns how to let the answer go. False where no charge came. */
async function holdCharge({ peer }: GatewayShop): Promise<false | (() => void)> {
  let release: () => void = () => undefined;
  peer.held = {
    operation: "POST /v1/payment_intents",
    until: new Promise((resolve) => (release = resolve)),
  };
  const isHeld = await until("charge", 10, async () =>
    peer.held === null ? true : undefined,
  ).catch(() => false);
  if (!isHeld) peer.held = null;
  return isHeld && release;
}

function tellLoad({ traders: { seen }, began }: Scene): void {
  const minutes = (performance.now() - began) / 60_000;
  told(
    "load: requests a second, minutes",
    `${(seen.requests / minutes / 60).toFixed(1)}, ${minutes.toFixed(1)}; ${load()}`,
  );
  told(
    `load: ${TRADERS} shops with a payer: links, payments, reads`,
    `${seen.creates}, ${seen.payments}, ${seen.reads}`,
    seen.creates > TRADERS * KILLS && seen.payments > TRADERS * KILLS,
  );
  told("calls repeated under their key", seen.repeated, seen.repeated > 0);
  told("longest request, s", (seen.longestRequestMs / 1_000).toFixed(1));
  told("longest call with its repetitions, s", (seen.longestCallMs / 1_000).toFixed(1));
  expected("answers that should never be given", seen.wrong, []);
}

/** The same with the protection off: a standby that is behind takes over, and what was acknowledged meanwhile is gone. */
async function losesWrites(scene: Scene): Promise<void> {
  const { cluster, traders, shop } = scene;
  await pause(5_000);
  await cluster.untilStandbys(2);
  const primary = await cluster.untilLeader();
  cluster.holdBack(primary);
  const before = traders.seen.links.size;
  await pause(HELD_BACK_SECONDS * 1_000);
  const since = performance.now();
  cluster.killPostgres(primary);
  told(
    "asynchronous: links acknowledged while standbys are behind",
    traders.seen.links.size - before,
  );
  const { webs } = await backAfter(scene, since);
  told("asynchronous: seconds to writes", `${seconds(webs)}; ${load()}`);
  await traders.stop(30);
  const found = compareBooks(
    { links: traders.seen.links, payments: traders.seen.paid },
    chargesOf(shop),
    await keptOf(shop),
  );
  told("asynchronous: acknowledged and lost", found.lost.length, found.lost.length > 0);
  told("asynchronous: charges that Kutip lacks", found.unbooked.length);
}

async function close(): Promise<void> {
  await closePool().catch(() => undefined);
  for (const clean of [...cleaners].reverse()) {
    cleaners.delete(clean);
    await clean();
  }
}

async function cleanUp(): Promise<void> {
  await close();
  if (process.argv.includes("--keep")) console.log(`  logs are in ${folder}`);
  else rmSync(folder, { recursive: true, force: true });
}
