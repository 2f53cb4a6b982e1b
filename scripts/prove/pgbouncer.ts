import { spawn } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { randomBytes } from "node:crypto";
import os from "node:os";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import { db } from "@/db/client";
import { migrateDatabase } from "@/db/migrate";
import { provideEnv } from "@/lib/env";
import { type Database, startDatabase } from "./parts/image/database";
import { payOneLink } from "./parts/image/payment";
import { listenToChanges } from "./parts/live-changes";
import { requireMachine } from "./parts/machine";
import { buildPooler, type Pooler, startPooler } from "./parts/pgbouncer";
import { type Process, processOf } from "./parts/processes";
import { secondsToRecover } from "./parts/pooler-recovery";
import { expected, prove, told } from "./parts/proof";
import { freePort } from "./parts/service";
import { openShop, type Shop } from "./parts/shop";
import { MIX, startShopLoad } from "./parts/shop-load";

// Kutip behind PgBouncer in transaction mode: Debian 12's version, and a newer one that is built here. Requests, jobs, live updates and limits
// work, and the tests pass. Without what protects each of them it does not.
const LOAD_SECONDS = 20;
const BACK_SECONDS = 5;
const LIMIT_SECONDS = 3 * 60 * 60;
const NEWER = "trixie";
const words = process.argv
  .filter((word) => word.startsWith("--tests="))
  .map((word) => word.slice(8));
/** Which test files go through the pooler; with `--tests=` others. */
const TESTS =
  words.length > 0 ? words : ["tests/limits", "tests/money/paying", "tests/webhooks/three"];

requireMachine(
  [
    { program: "pgbouncer", package: "pgbouncer" },
    { program: "make", package: "make" },
    { program: "gcc", package: "gcc" },
    { program: "pkg-config", package: "pkg-config" },
    { program: "../include/event2/event.h", package: "libevent-dev" },
    { program: "../include/openssl/ssl.h", package: "libssl-dev" },
  ],
  { root: false },
);
const folder = mkdtempSync(path.join(os.tmpdir(), "kutip-pgbouncer-"));
chmodSync(folder, 0o755);
const secret = randomBytes(32).toString("hex");
let database: Database | undefined;
const poolers = new Set<Pooler>();
const running = new Set<Process>();

await prove(work, cleanUp, LIMIT_SECONDS);

async function work(): Promise<void> {
  database = await startDatabase(path.join(folder, "database"));
  const direct = database.url;
  provideEnv({ DATABASE_URL: direct, KUTIP_SECRET: secret, LOG_LEVEL: "fatal" });
  await migrateDatabase();
  const shop = await openShop("Night Market");
  told("load", `${MIX}; ${LOAD_SECONDS} s; processor load ${os.loadavg()[0]?.toFixed(1)}`);

  const began = performance.now();
  const built = buildPooler(path.join(folder, "source"), NEWER);
  told("seconds to build the newer one", ((performance.now() - began) / 1_000).toFixed(0));
  for (const program of ["/usr/sbin/pgbouncer", built]) {
    const pooler = await open(program);
    const name = path.dirname(program) === "/usr/sbin" ? "Debian 12's" : `${NEWER}'s`;
    await holdsLimits(`${name}:`, pooler, direct);
    const back = await secondsToRecover(pooler, database);
    told(
      `${name} seconds until callers are served after an outage`,
      back.toFixed(1),
      back <= BACK_SECONDS,
    );
    await serves(`${name}:`, pooler, direct, shop);
    expected(
      `${name}: tests that fail through it (${TESTS.join(" ")})`,
      await test(pooler, direct),
      0,
    );
    await close(pooler);
  }
  await withoutProtection(direct, shop);
}

async function open(program: string, limits = true): Promise<Pooler> {
  const at = path.join(folder, `pooler-${poolers.size}-${randomBytes(2).toString("hex")}`);
  const pooler = await startPooler(program, at, database?.url ?? "", { limits });
  poolers.add(pooler);
  return pooler;
}

async function close(pooler: Pooler): Promise<void> {
  await pooler.stop();
  poolers.delete(pooler);
}

/** The SQLSTATE that a statement ends with. */
function stateOf(run: Promise<unknown>): Promise<string> {
  return run.then(
    () => "none",
    (error: { code?: string }) => error.code ?? String(error),
  );
}

/** Statements that take too long, or wait too long for a lock, end in a pooled session too. */
async function holdsLimits(name: string, pooler: Pooler, direct: string): Promise<void> {
  const [client, other, holder] = [pooler.url("kutip"), pooler.url("kutip"), direct].map(
    (connectionString) => new pg.Client({ connectionString }),
  ) as [pg.Client, pg.Client, pg.Client];
  await Promise.all([client, other, holder].map((one) => one.connect()));
  await holder.query("begin; lock table payment_links in access exclusive mode");
  const [slow, waiting] = await Promise.all([
    stateOf(client.query("select pg_sleep(30)")),
    stateOf(other.query("select from payment_links")),
  ]);
  expected(`${name} end of a statement that takes 30 s`, slow, "57014");
  expected(`${name} end of a wait for a lock`, waiting, "55P03");
  await holder.query("rollback");
  await Promise.all([client, other, holder].map((one) => one.end()));
}

async function startInstall(
  address: string,
  direct: string,
): Promise<{ url: string; stop: () => Promise<void> }> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const settings = {
    DATABASE_URL: address,
    DATABASE_DIRECT_URL: direct,
    KUTIP_SECRET: secret,
    LOG_LEVEL: "silent",
    PORT: String(port),
    BASE_URL: url,
    DRAIN_SECONDS: "0",
    RATE_LIMIT_KEY: "0",
    RATE_LIMIT_BUSINESS: "0",
    RATE_LIMIT_PAYER: "0",
  };
  const both = await Promise.all(
    (["server", "worker"] as const).map(async (entry) =>
      processOf(entry, { ...settings, METRICS_ADDRESS: `127.0.0.1:${await freePort()}` }),
    ),
  );
  for (const one of both) {
    running.add(one);
    await one.start();
  }
  return {
    url,
    stop: async () => {
      await Promise.all(both.map((one) => one.stop()));
      for (const one of both) running.delete(one);
    },
  };
}

/** A web and a worker process behind it serve callers, payers and live updates, and the server's connections stay bounded. */
async function serves(name: string, pooler: Pooler, direct: string, shop: Shop): Promise<void> {
  const install = await startInstall(`${pooler.url("kutip")}?pgbouncer=true`, direct);
  const changes = await listenToChanges(install.url, shop);
  const load = startShopLoad(install.url, shop.key);
  let most = 0;
  for (let second = 0; second < LOAD_SECONDS; second++) {
    const { rows } = await db.execute<{ n: number }>(
      "select count(*)::int as n from pg_stat_activity where datname = 'kutip' and pid <> pg_backend_pid()",
    );
    most = Math.max(most, rows[0]?.n ?? 0);
    await pause(1_000);
  }
  const { requests, seconds, failed } = await load.stop();
  told(`${name} requests, and a second`, `${requests}, ${(requests / seconds).toFixed(0)}`);
  expected(`${name} failed requests`, failed, []);
  // Two processes keep three each beside the pooler; this drill's own pool has a few, and its heartbeat one.
  const bound = pooler.poolSize + 2 * 3 + 2;
  told(`${name} connections to the server, at most ${bound}`, most, most <= bound);
  const payment = await payOneLink(install.url, shop.key);
  expected(`${name} a link, paid at the simulated gateway`, payment.status, "succeeded");
  told(`${name} live updates received of it`, await changes.count(1), (await changes.count(1)) > 0);
  changes.stop();
  await install.stop();
}

/** Runs the suite's database tests with requests through the pooler; the exit code. */
function test(pooler: Pooler, direct: string): Promise<number> {
  const child = spawn(
    process.execPath,
    ["node_modules/vitest/vitest.mjs", "run", "--project", "database", "--reporter=dot", ...TESTS],
    {
      env: { ...process.env, TEST_DATABASE_URL: direct, TEST_POOLER_URL: pooler.url("any") },
      stdio: ["ignore", "ignore", "inherit"],
    },
  );
  return new Promise((resolve) => child.on("exit", (code) => resolve(code ?? 1)));
}

/** Each protection switched off: what it is for fails. */
async function withoutProtection(direct: string, shop: Shop): Promise<void> {
  const bare = await open("/usr/sbin/pgbouncer", false);
  const client = new pg.Client({ connectionString: bare.url("kutip") });
  await client.connect();
  const { rows } = await client.query<{ statement_timeout: string }>("show statement_timeout");
  expected("without connect_query: limit of a statement", rows[0]?.statement_timeout, "0");
  await client.end();
  if (database) {
    const back = await secondsToRecover(bare, database);
    told("without server_login_retry: the same", back.toFixed(1), back > BACK_SECONDS);
  }

  const silent = await startInstall(`${bare.url("kutip")}?pgbouncer=true`, "");
  const changes = await listenToChanges(silent.url, shop);
  await payOneLink(silent.url, shop.key);
  expected("without a direct address: live updates received", await changes.count(1), 0);
  changes.stop();
  await silent.stop();

  // Without `?pgbouncer=true` statements keep their names; the settings that the pooler refuses are ignored by it here.
  const named = await startInstall(bare.url("kutip"), direct);
  const load = startShopLoad(named.url, shop.key);
  await pause(LOAD_SECONDS * 500);
  const { requests, failed } = await load.stop();
  told(
    "with named statements: failed requests",
    `${failed.length} of ${requests}`,
    failed.length > 0,
  );
  await named.stop();
  await close(bare);
}

async function cleanUp(): Promise<void> {
  await Promise.all([...running].map((one) => one.kill()));
  await Promise.all([...poolers].map((one) => one.stop()));
  database?.stop();
  rmSync(folder, { recursive: true, force: true });
}
