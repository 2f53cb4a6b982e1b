import { randomBytes } from "node:crypto";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { migrateDatabase } from "@/db/migrate";
import { systemCtx } from "@/lib/domain/context";
import { provideEnv } from "@/lib/env";
import { StripePeer } from "@/tests/stripe-peer/peer";
import { kutip, run } from "./parts/backup/command";
import { type Cluster, requireCitus, startCluster } from "./parts/citus/cluster";
import { countsOf, isolateBusiness, moveRefused, rebalance, shardsOf } from "./parts/citus/shards";
import { inParts, type OnClose } from "./parts/drill-parts";
import { type GatewayShop, openGatewayShop } from "./parts/failover/shop";
import { compare, settle } from "./parts/failover/settling";
import { startTraders, type Traders } from "./parts/failover/traders";
import { numberOption } from "./parts/options";
import { processOf } from "./parts/processes";
import { expected, prove, told } from "./parts/proof";
import { freePort } from "./parts/service";
import { compareWebhooks, eventIds } from "./parts/soak/webhooks";
import { type Receiver, takes, tell } from "./parts/webhooks";

// A coordinator with two workers. An install with records is distributed, then sells, charges and tells webhooks while a third worker joins,
// shards move to it, and one business gets a worker of its own. Nothing is lost and no request fails. Tests of money run on the cluster too.
const SHARDS = numberOption("shards", 8);
const SHOPS = 3;
const TRADERS = 2;
const RENEWALS = 60;
const RENEWALS_PER_SECOND = 1;
const CALM_SECONDS = 15;
const LIMIT_SECONDS = 45 * 60;
/** Files of tests that run on the cluster as they are. */
const TESTS = [
  "tests/citus",
  "tests/contract/endpoints",
  "tests/contract/staff-endpoints",
  "tests/dashboard/batches",
  "tests/dashboard/go-live",
  "tests/dashboard/lost-answers",
  "tests/dashboard/notifications",
  "tests/dashboard/overview",
  "tests/erasure.db",
  "tests/jobs/renewals-zone",
  "tests/money/crash",
  "tests/money/guards",
  "tests/money/key-claims",
  "tests/money/leases",
  "tests/money/takeover",
  "tests/money/paying",
  "tests/money/refunds",
  "tests/money/ledger",
  "tests/money/interleaving",
  "tests/money/renewals.db",
  "tests/staff/business",
  "tests/staff/keys",
  "tests/staff/roles",
  "tests/staff/team",
  "tests/webhooks/delivery",
  "tests/webhooks/three",
];

requireCitus();
const folder = mkdtempSync(path.join(os.tmpdir(), "kutip-citus-"));
// Postgres runs as another account.
chmodSync(folder, 0o755);
const parts = inParts({ tests, load });

await prove(() => parts.run(folder), cleanUp, LIMIT_SECONDS);

async function open(name: string, onClose: OnClose): Promise<Cluster> {
  const cluster = await startCluster(path.join(folder, name));
  onClose(cluster.stop);
  return cluster;
}

/** The money proofs, and the plans of the hot path. */
async function tests(_: string, onClose: OnClose): Promise<void> {
  const { url } = await open("tests", onClose);
  const command = ["npx", "vitest", "run", "--project", "database", "--reporter=dot", ...TESTS];
  const { code, text } = await run(command, { env: { TEST_CITUS_URL: url, NODE_ENV: "test" } });
  const summary = /Tests .*/.exec(text)?.[0] ?? "no tests";
  if (code !== 0) console.log(text);
  told("tests of money and webhooks, and plans of the hot path", summary, code === 0);
}

/** A shop, its receiver of webhooks, and the events from before that. */
type Seller = { shop: GatewayShop; receiver: Receiver; before: ReadonlySet<string> };
type Scene = { cluster: Cluster; sellers: Seller[]; traders: Traders[] };

async function load(_: string, onClose: OnClose): Promise<void> {
  const cluster = await open("load", onClose);
  const peer = await new StripePeer().start();
  onClose(() => peer.stop());
  const word = () => randomBytes(24).toString("hex");
  const settings = {
    DATABASE_URL: cluster.url,
    KUTIP_SECRET: word(),
    STRIPE_API_URL: peer.origin,
    LOG_LEVEL: "silent",
  };
  provideEnv(settings);
  await migrateDatabase();
  const ports = [await freePort(), await freePort(), await freePort(), await freePort()];
  const webs = ports.slice(0, 2).map((port) => `http://127.0.0.1:${port}`);
  const sellers: Seller[] = [];
  for (let at = 0; at < SHOPS; at++) {
    const shop = await openGatewayShop(peer, webs[0] ?? "", {
      renewals: RENEWALS,
      perSecond: RENEWALS_PER_SECOND,
      name: `Night Market ${at}`,
    });
    const receiver = await tell(ctxOf(shop), `shop ${at}`, takes);
    onClose(() => receiver.close());
    sellers.push({ shop, receiver, before: new Set(await eventIds(shop.businessId)) });
  }
  await distributeInstall(settings);

  for (const [at, port] of ports.entries()) {
    const entry = at < 2 ? "server" : "worker";
    const url = `http://127.0.0.1:${port}`;
    const set = {
      ...settings,
      PORT: String(port),
      BASE_URL: at < 2 ? url : (webs[0] ?? ""),
      METRICS_ADDRESS: `127.0.0.1:${await freePort()}`,
      LOG_LEVEL: "warn",
      RATE_LIMIT_KEY: "0",
      RATE_LIMIT_BUSINESS: "0",
      RATE_LIMIT_PAYER: "0",
      WEBHOOK_ALLOW_PRIVATE: "true",
    };
    const started = processOf(entry, set, { log: path.join(folder, `${entry}-${at}.log`) });
    onClose(() => started.stop());
    await started.start();
  }
  const traders = sellers.map(({ shop: { key } }, at) =>
    startTraders(webs, key, TRADERS, { name: `shop${at}-` }),
  );
  onClose(() => Promise.all(traders.map(({ stop }) => stop(0))));
  await underLoad({ cluster, sellers, traders });
}

/** An install with records is distributed once, and keeps them. */
async function distributeInstall(settings: Record<string, string>): Promise<void> {
  const url = settings.DATABASE_URL ?? "";
  const before = await countsOf(url);
  const began = performance.now();
  const { code, text } = await kutip(["citus:distribute", `--shards=${SHARDS}`], settings);
  const seconds = ((performance.now() - began) / 1_000).toFixed(1);
  if (code !== 0) throw new Error(`citus:distribute ended with ${code}: ${text}`);
  told(`citus:distribute with ${SHARDS} shards, s`, seconds);
  const after = await countsOf(url);
  expected(
    `of ${Object.keys(before).length} tables, those with other rows than before`,
    Object.keys(before).filter((name) => before[name] !== after[name]),
    [],
  );
  const again = await kutip(["citus:distribute"], settings);
  expected("a second time it says", again.text, "kutip: this install is distributed already");
}

async function underLoad({ cluster, sellers, traders }: Scene): Promise<void> {
  const { url } = cluster;
  const began = performance.now();
  await pause(CALM_SECONDS * 1_000);

  const spare = await cluster.addWorker();
  const moved = await rebalance(url);
  told("shards moved to a third worker under load, s", moved.seconds.toFixed(1));
  told("groups of shards on each worker", moved.placed.join(", "), Math.min(...moved.placed) > 0);
  await pause(CALM_SECONDS * 1_000);

  await isolate(url, sellers[0]?.shop.businessId ?? 0, spare);
  await pause(CALM_SECONDS * 1_000);

  await Promise.all(traders.map(({ stop }) => stop(60)));
  const minutes = (performance.now() - began) / 60_000;
  const sum = (of: (one: Traders["seen"]) => number) =>
    traders.reduce((all, { seen }) => all + of(seen), 0);
  told(
    `load: ${SHOPS} shops, ${SHOPS * TRADERS} traders; requests a second, minutes`,
    `${(sum(({ requests }) => requests) / minutes / 60).toFixed(1)}, ${minutes.toFixed(1)}; load average ${os.loadavg()[0]?.toFixed(1)}`,
  );
  told(
    "load: links, payments",
    `${sum(({ creates }) => creates)}, ${sum(({ payments }) => payments)}`,
    sum(({ payments }) => payments) > SHOPS * TRADERS,
  );
  told(
    "longest request, s",
    (Math.max(...traders.map(({ seen }) => seen.longestRequestMs)) / 1_000).toFixed(1),
  );
  told(
    "calls repeated under their key",
    sum(({ repeated }) => repeated),
  );
  expected(
    "answers that should never be given",
    traders.flatMap(({ seen }) => seen.wrong),
    [],
  );
  for (const [at, { shop, receiver, before }] of sellers.entries()) {
    await settle(shop);
    const seen = traders[at]?.seen;
    if (seen) await compare(shop, seen);
    await compareWebhooks(shop.businessId, [receiver], before);
  }
  // Without what `citus:distribute` gives tables that have no key, Citus moves no shard that is written to.
  const refusal = await moveRefused(url);
  told(
    "without a replica identity a move is refused",
    refusal ?? "no",
    /replica identity/i.test(refusal ?? ""),
  );
}

/** One business gets a shard of its own, and that shard a worker of its own. */
async function isolate(
  url: string,
  businessId: number,
  spare: { host: string; port: number },
): Promise<void> {
  const began = performance.now();
  await isolateBusiness(url, businessId, spare);
  const shards = await shardsOf(url, businessId);
  told("one business moved to a worker, s", ((performance.now() - began) / 1_000).toFixed(1));
  expected("its worker, and businesses in its shard", shards, {
    port: spare.port,
    isAlone: true,
  });
}

function cleanUp(): Promise<void> {
  return parts.end().finally(() => {
    if (process.argv.includes("--keep")) console.log(`  logs are in ${folder}`);
    else rmSync(folder, { recursive: true, force: true });
  });
}

function ctxOf({ businessId }: GatewayShop) {
  return systemCtx({ businessId, mode: "test" }, { kind: "operator" }, "drill");
}
