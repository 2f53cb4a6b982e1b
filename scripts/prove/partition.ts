import os from "node:os";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { sql } from "drizzle-orm";
import { closePool, db } from "@/db/client";
import { type Web, workerBack, writesBack } from "./parts/failover/probes";
import { compare, settle } from "./parts/failover/settling";
import { type GatewayShop, openGatewayShop } from "./parts/failover/shop";
import { startTraders, type Traders } from "./parts/failover/traders";
import { requireMachine } from "./parts/machine";
import { enclosed } from "./parts/partition/enclosure";
import { type Cut, HUB, leadToHub, lose, mend, onMachine } from "./parts/partition/network";
import { GATEWAY_PORT, openMachines } from "./parts/partition/machines";
import { plainClient, watchWeb } from "./parts/partition/watch";
import { type Cluster, NEEDS, until } from "./parts/patroni/cluster";
import { addressOf } from "./parts/patroni/config";
import { type Process, processOf } from "./parts/processes";
import { expected, prove, told } from "./parts/proof";

// Machines in network namespaces: three database nodes, a web and a worker process, a gateway. Packets between them are swallowed without a reset.
// No request takes longer than its limit, and everything recovers without help. A client without limits hangs on the same network.
const BACK_SECONDS = 15;
/** A free connection of the pool, then a statement: see docs/decisions/database-connections.md. */
const REQUEST_SECONDS = 6 + 10;
const GATEWAY_CALL_SECONDS = 30;
const CUT_SECONDS = 20;
const PATIENCE_SECONDS = 90;
const RENEWALS = 400;
const RENEWALS_PER_SECOND = 2;
const TRADERS = 3;
const LIMIT_SECONDS = 20 * 60;
const WEB = "10.0.0.21";
const WORKER = "10.0.0.22";

type Scene = {
  cluster: Cluster;
  password: string;
  web: Web;
  processes: readonly [web: Process, worker: Process];
  shop: GatewayShop;
  traders: Traders;
};

requireMachine(
  [
    ...NEEDS,
    { program: "ip", package: "iproute2" },
    { program: "nft", package: "nftables" },
    { program: "sysctl", package: "procps" },
    { program: "unshare", package: "util-linux" },
  ],
  { root: true },
);
const folder = await enclosed("partition");
const cleaners: (() => unknown)[] = [];

await prove(work, cleanUp, LIMIT_SECONDS);

async function work(): Promise<void> {
  const scene = await open();
  const pids = scene.processes.map(({ pid }) => pid());
  const began = performance.now();
  await webLosesPrimary(scene);
  await workerLosesPrimary(scene);
  await workerLosesGateway(scene);
  await primaryIsLost(scene);

  const { seen } = scene.traders;
  await scene.traders.stop(60);
  const minutes = (performance.now() - began) / 60_000;
  told(
    "load: requests a second, minutes",
    `${(seen.requests / minutes / 60).toFixed(1)}, ${minutes.toFixed(1)}; ${load()}`,
  );
  told(
    `load: ${TRADERS} shops with a payer: links, payments, reads`,
    `${seen.creates}, ${seen.payments}, ${seen.reads}`,
    seen.payments > 0,
  );
  expected("answers that should never be given", seen.wrong, []);
  await settle(scene.shop);
  expected(
    "processes that ended or were started again",
    scene.processes.filter(({ pid }, at) => pid() !== pids[at]).length,
    0,
  );
  await compare(scene.shop, seen);
}

async function open(): Promise<Scene> {
  const { cluster, passwords, peer, settings } = await openMachines(
    folder,
    { web: WEB, worker: WORKER },
    (clean) => cleaners.push(clean),
  );
  const web = { name: "web", url: `http://${WEB}:3000` };
  const shop = await openGatewayShop(peer, web.url, {
    renewals: RENEWALS,
    perSecond: RENEWALS_PER_SECOND,
  });
  const start = async (name: "web" | "worker", address: string) => {
    leadToHub(name, GATEWAY_PORT);
    const set = {
      ...settings,
      STRIPE_API_URL: `http://127.0.0.1:${GATEWAY_PORT}`,
      HOST: "0.0.0.0",
      PORT: "3000",
      BASE_URL: web.url,
      METRICS_ADDRESS: `${address}:9400`,
      LOG_LEVEL: "warn",
      RATE_LIMIT_KEY: "0",
      RATE_LIMIT_BUSINESS: "0",
      RATE_LIMIT_PAYER: "0",
    };
    const started = processOf(name === "web" ? "server" : "worker", set, {
      enter: onMachine(name),
      log: path.join(folder, `${name}.log`),
    });
    cleaners.push(() => started.kill());
    await started.start();
    return started;
  };
  const processes = [await start("web", WEB), await start("worker", WORKER)] as const;
  const traders = startTraders([web.url], shop.key, TRADERS);
  cleaners.push(() => traders.stop(0));
  return { cluster, password: passwords.kutip, web, processes, shop, traders };
}

function load(): string {
  return `load average ${os.loadavg()[0]?.toFixed(1)}`;
}

function tellBack(what: string, seconds: number): void {
  told(`${what}, s`, `${seconds.toFixed(1)}; ${load()}`, seconds <= BACK_SECONDS);
}

/** A client without limits that is silent for a whole cut shows that the drill's network hangs. */
function tellPlain(seconds: number, cutSeconds: number): void {
  told(
    `  a client without limits is silent, of ${cutSeconds.toFixed(0)} s`,
    seconds.toFixed(1),
    seconds >= cutSeconds - 1,
  );
}

/** Packets of a cut are lost for a while; returns when the network was mended. */
async function cutFor(
  cut: Cut,
  during: () => Promise<void> = async () => undefined,
): Promise<number> {
  const from = performance.now();
  lose([cut]);
  try {
    while (performance.now() - from < CUT_SECONDS * 1_000) {
      await during();
      await pause(250);
    }
  } finally {
    mend();
  }
  return performance.now();
}

async function webLosesPrimary({ cluster, password, web, shop, traders }: Scene): Promise<void> {
  console.log(`  web and primary, ${CUT_SECONDS} s`);
  await cluster.untilStandbys(2);
  const primary = await cluster.untilLeader();
  const plain = await plainClient(onMachine("web"), "postgres", addressOf([primary], password));
  const watch = watchWeb(web, shop.key, traders.seen.links);
  await until("watched write", PATIENCE_SECONDS, async () => watch.silent() < 5 || undefined);
  let silent = 0;
  const mended = await cutFor({ from: WEB, to: primary.host }, async () => {
    silent = plain.silent();
  });
  const [back = 0] = await writesBack(
    [web],
    shop.key,
    mended,
    PATIENCE_SECONDS,
    traders.seen.links,
  );
  const found = await watch.stop();
  plain.stop();
  tellBack("  writes after the network is back", back);
  told(
    `  longest of ${found.requests} requests, at most ${REQUEST_SECONDS} s`,
    found.longestSeconds.toFixed(1),
    found.longestSeconds <= REQUEST_SECONDS,
  );
  tellPlain(silent, CUT_SECONDS);
  expected("  primary after it", (await cluster.untilLeader()).name, primary.name);
}

async function workerLosesPrimary(scene: Scene): Promise<void> {
  const { cluster, password, web, processes, shop, traders } = scene;
  console.log(`  worker and primary, ${CUT_SECONDS} s`);
  await cluster.untilStandbys(2);
  const primary = await cluster.untilLeader();
  const plain = await plainClient(onMachine("worker"), "postgres", addressOf([primary], password));
  const watch = watchWeb(web, shop.key, traders.seen.links);
  let silent = 0;
  const mended = await cutFor({ from: WORKER, to: primary.host }, async () => {
    silent = plain.silent();
  });
  const charged = renewalCharges(shop);
  const back = await workerBack("worker", processes[1], mended, PATIENCE_SECONDS);
  const charges = await newCharge(shop, charged, mended);
  const found = await watch.stop();
  plain.stop();
  tellBack("  the worker reports after the network is back", back);
  tellBack("  renewals are charged again after", charges);
  told(
    "  writes at the web process meanwhile",
    found.acknowledged,
    found.acknowledged === found.requests,
  );
  tellPlain(silent, CUT_SECONDS);
}

async function workerLosesGateway({ shop, web, traders }: Scene): Promise<void> {
  console.log(`  worker and gateway, ${CUT_SECONDS} s`);
  await newCharge(shop, renewalCharges(shop), performance.now());
  const plain = await plainClient(
    onMachine("worker"),
    "http",
    `http://127.0.0.1:${GATEWAY_PORT}/v1/account`,
  );
  const watch = watchWeb(web, shop.key, traders.seen.links);
  let [silent, oldest] = [0, 0];
  const look = async () => {
    oldest = Math.max(oldest, await oldestCharge());
  };
  const mended = await cutFor({ from: WORKER, to: HUB, port: GATEWAY_PORT }, async () => {
    silent = plain.silent();
    await look();
  });
  const charges = await newCharge(shop, renewalCharges(shop), mended);
  await until("end of the calls", PATIENCE_SECONDS, async () => {
    await look();
    return performance.now() - mended > GATEWAY_CALL_SECONDS * 500 || undefined;
  });
  const found = await watch.stop();
  plain.stop();
  tellBack("  renewals are charged again after", charges);
  // A charge that a pause of the gateway's circuit holds back counts too, so that this has no limit.
  told("  oldest charge without an outcome, s", oldest.toFixed(1));
  told(
    "  writes at the web process meanwhile",
    found.acknowledged,
    found.acknowledged === found.requests,
  );
  tellPlain(silent, CUT_SECONDS);
}

async function primaryIsLost(scene: Scene): Promise<void> {
  const { cluster, password, web, processes, shop, traders } = scene;
  console.log("  primary and everything else, until another node leads");
  await cluster.untilStandbys(2);
  const primary = await cluster.untilLeader();
  const plain = await plainClient(onMachine("web"), "postgres", addressOf([primary], password));
  const watch = watchWeb(web, shop.key, traders.seen.links);
  await until("watched write", PATIENCE_SECONDS, async () => watch.silent() < 5 || undefined);
  const lost = performance.now();
  lose([{ from: primary.host }]);
  try {
    await cluster.untilLeader([primary.name], PATIENCE_SECONDS);
    const leads = performance.now();
    const [backs, worker] = await Promise.all([
      writesBack([web], shop.key, leads, PATIENCE_SECONDS, traders.seen.links),
      workerBack("worker", processes[1], leads, PATIENCE_SECONDS),
    ]);
    told("  another node leads after s", ((leads - lost) / 1_000).toFixed(1));
    tellBack("  writes after the new primary", backs[0] ?? 0);
    tellBack("  the worker reports after the new primary", worker);
    tellPlain(plain.silent(), (performance.now() - lost) / 1_000);
    const found = await watch.stop();
    told(
      `  longest of ${found.requests} requests, at most ${REQUEST_SECONDS} s`,
      found.longestSeconds.toFixed(1),
      found.longestSeconds <= REQUEST_SECONDS,
    );
  } finally {
    plain.stop();
    mend();
  }
  const mended = performance.now();
  await cluster.untilStandbys(2);
  told("  the old primary is a standby after s", ((performance.now() - mended) / 1_000).toFixed(1));
}

/** How many charges of renewals the gateway has; they come from the worker. */
function renewalCharges({ bank }: GatewayShop): number {
  return bank.intents.filter(({ metadata }) => metadata.kutip_subscription !== undefined).length;
}

/** Seconds from `since` until the gateway has more of them than `before`. */
async function newCharge(shop: GatewayShop, before: number, since: number): Promise<number> {
  await until("charge", PATIENCE_SECONDS, async () => renewalCharges(shop) > before || undefined);
  return (performance.now() - since) / 1_000;
}

/** Seconds since the start of the oldest charge without an outcome. */
async function oldestCharge(): Promise<number> {
  const { rows } = await db.execute<{ seconds: number }>(
    sql`select coalesce(extract(epoch from max(now() - started_at)), 0)::float8 as seconds from payments where status = 'submitting'`,
  );
  return rows[0]?.seconds ?? 0;
}

async function cleanUp(): Promise<void> {
  await closePool().catch(() => undefined);
  for (const clean of cleaners.reverse()) await clean();
}
