import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { sql } from "drizzle-orm";
import { db } from "@/db/client";
import { haproxyNeed, type LoadBalancer, startBalancer } from "./parts/haproxy";
import { type Install, newInstall } from "./parts/install";
import { requireMachine } from "./parts/machine";
import { numberOption } from "./parts/options";
import { type Process, processOf } from "./parts/processes";
import { expected, prove, told } from "./parts/proof";
import { freePort } from "./parts/service";
import { openShop } from "./parts/shop";
import { MIX, type Seen, startShopLoad } from "./parts/shop-load";

// Two web processes and a worker behind HAProxy are restarted one after the other, again and again, while callers and payers go on. No
// request fails, those on connections that are kept alive included. Killed instead of stopped, some do.
const ROUNDS = numberOption("rounds", 20);
const KILLED_ROUNDS = 3;
const LIMIT_SECONDS = 40 * 60;

type Web = { address: string; process: Process };

requireMachine([haproxyNeed], { root: false });
const folder = mkdtempSync(path.join(os.tmpdir(), "kutip-rolling-"));
let install: Install | undefined;
let proxy: LoadBalancer | undefined;
let worker: Process | undefined;
const webs: Web[] = [];

await prove(work, cleanUp, LIMIT_SECONDS);

async function work(): Promise<void> {
  install = await newInstall();
  const shop = await openShop("Night Market");
  const ports = [await freePort(), await freePort()];
  const addressOf = (port: number) => `127.0.0.1:${port}`;
  proxy = await startBalancer(folder, ports.map(addressOf));
  const settings = {
    ...install.settings,
    BASE_URL: proxy.url,
    TRUSTED_PROXIES: "127.0.0.1",
    RATE_LIMIT_KEY: "0",
    RATE_LIMIT_BUSINESS: "0",
    RATE_LIMIT_PAYER: "0",
  };
  for (const port of ports)
    webs.push({
      address: addressOf(port),
      process: processOf("server", await withMetrics(settings, port)),
    });
  worker = processOf("worker", await withMetrics(settings));
  for (const { address, process } of webs) {
    await process.start();
    await proxy.isUp(address);
  }
  await worker.start();
  told("load", `${MIX}; processor load ${os.loadavg()[0]?.toFixed(1)}`);

  const rolled = await round(shop.key, ROUNDS, (one) => one.stop());
  told("restarts of each process", ROUNDS);
  report("stopped in order", rolled);
  expected("failed requests", rolled.failed, []);
  told("requests on a connection that was used before", rolled.reused, rolled.reused > 0);
  expected("acknowledged links that are missing", await missing(rolled.links), 0);

  const killed = await round(shop.key, KILLED_ROUNDS, (one) => one.kill());
  report("killed, without a drain", killed);
  told("failed requests without a drain", killed.failed.length, killed.failed.length > 0);
  expected("acknowledged links that are missing", await missing(killed.links), 0);
}

async function withMetrics(
  settings: Record<string, string>,
  port?: number,
): Promise<Record<string, string>> {
  return {
    ...settings,
    ...(port === undefined ? {} : { PORT: String(port) }),
    METRICS_ADDRESS: `127.0.0.1:${await freePort()}`,
  };
}

/** Ends each process in its turn and starts it again, under load; the next one waits until HAProxy has this one back. */
async function round(
  key: string,
  rounds: number,
  end: (one: Process) => Promise<void>,
): Promise<Seen> {
  const load = startShopLoad(proxy?.url ?? "", key);
  for (let at = 0; at < rounds; at++) {
    for (const { address, process } of webs) {
      await end(process);
      await process.start();
      await proxy?.isUp(address);
    }
    if (worker) {
      await end(worker);
      await worker.start();
    }
  }
  return load.stop();
}

function report(name: string, { requests, seconds }: Seen): void {
  const minutes = (seconds / 60).toFixed(1);
  told(
    `${name}: requests, a second, minutes`,
    `${requests}, ${(requests / seconds).toFixed(0)}, ${minutes}; processor load ${os.loadavg()[0]?.toFixed(1)}`,
  );
}

async function missing(ids: readonly string[]): Promise<number> {
  const { rows } = await db.execute<{ n: number }>(sql`
    select count(*)::int as n from jsonb_array_elements_text(${JSON.stringify(ids)}::jsonb) as given(id)
    where not exists (select from payment_links l where l.id = given.id)`);
  return rows[0]?.n ?? 0;
}

async function cleanUp(): Promise<void> {
  await Promise.all([...webs.map(({ process }) => process), worker].map((one) => one?.kill()));
  await proxy?.stop();
  install?.remove();
  rmSync(folder, { recursive: true, force: true });
}
