import { randomBytes } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import { closePool } from "@/db/client";
import { connectionOptions } from "@/db/connection";
import { migrateDatabase } from "@/db/migrate";
import type { PaymentLink } from "@/lib/contract/payment-links";
import { createKey } from "@/lib/domain/api-keys/create";
import { createBusiness } from "@/lib/domain/businesses/create";
import { provideEnv } from "@/lib/env";
import { primaryAndStandby } from "@/tests/standby";
import { numberOption } from "./parts/options";
import { type Process, processOf } from "./parts/processes";
import { expected, prove, told } from "./parts/proof";
import { freePort } from "./parts/service";

// A primary with a streaming replica, two web processes under load. The replica falls behind, dies and comes back.
const SECONDS = numberOption("seconds", 10);
const CLIENTS = 6;
const SLOW_MS = 3_000;
const LIMIT_SECONDS = 10 * 60;
const SECRET = randomBytes(32).toString("hex");

type Servers = Awaited<ReturnType<typeof primaryAndStandby>>;
type Web = { url: string; metrics: string; process: Process };

let servers: Servers | undefined;
const webs: Web[] = [];

await prove(work, cleanUp, LIMIT_SECONDS);

async function work(): Promise<void> {
  servers = await primaryAndStandby(async (url) => {
    provideEnv({ DATABASE_URL: url, KUTIP_SECRET: SECRET, LOG_LEVEL: "fatal" });
    await migrateDatabase();
    await closePool();
  });
  const { primary, standby } = servers;
  provideEnv({ DATABASE_URL: primary.url });
  const business = await createBusiness({ name: "Night Market" });
  const { secret: key } = await createKey({ businessId: business.id, mode: "test" }, "drill");
  for (const _ of [1, 2]) webs.push(await startWeb(primary.url, standby.url));
  console.log(
    `  ${CLIENTS} clients for ${SECONDS} s a round: each creates a link at one web process and lists it at the other`,
  );

  const well = await round("the replica follows", key);
  told("lists that were read on the replica, of 100", share(well), share(well) >= 50);

  await onServer(standby.url, "select pg_wal_replay_pause()");
  const behind = await round("the replica is behind", key, standby.url);
  told("lists that were read on the replica", behind.replica, behind.replica === 0);
  // Without the check the same lists would have been read there.
  told(
    "links that the replica does not have: stale lists without the check",
    behind.missing,
    behind.missing > 0,
  );
  await onServer(standby.url, "select pg_wal_replay_resume()");

  standby.stop();
  const away = await round("the replica is away", key);
  told("lists that were read on the replica", away.replica, away.replica === 0);

  await standby.start();
  await untilRead(key);
  const back = await round("the replica is back", key);
  told("lists that were read on the replica, of 100", share(back), share(back) >= 50);
}

async function cleanUp(): Promise<void> {
  await closePool().catch(() => undefined);
  await Promise.all(webs.map(({ process }) => process.kill()));
  servers?.remove();
}

async function startWeb(primary: string, replica: string): Promise<Web> {
  const [port, metricsPort] = [await freePort(), await freePort()];
  const url = `http://localhost:${port}`;
  const metrics = `127.0.0.1:${metricsPort}`;
  const process = processOf("server", {
    PORT: String(port),
    BASE_URL: url,
    METRICS_ADDRESS: metrics,
    DATABASE_URL: primary,
    DATABASE_REPLICA_URL: replica,
    KUTIP_SECRET: SECRET,
    RATE_LIMIT_KEY: "0",
    RATE_LIMIT_BUSINESS: "0",
    LOG_LEVEL: "fatal",
  });
  await process.start();
  return { url, metrics: `http://${metrics}/metrics`, process };
}

type Round = { lists: number; replica: number; missing: number };
function share({ lists, replica }: Round): number {
  return Math.round((100 * replica) / Math.max(1, lists));
}

/** Clients at both web processes for some seconds. `missing`: acknowledged links that the replica at `replicaUrl` lacks at the end. */
async function round(name: string, key: string, replicaUrl?: string): Promise<Round> {
  const before = await readsOnReplica();
  const until = performance.now() + SECONDS * 1_000;
  const [made, faults, times]: [string[], string[], number[]] = [[], [], []];
  const client = async (number: number) => {
    const [one, other] = number % 2 === 0 ? webs : [...webs].reverse();
    while (performance.now() < until) {
      const link = await send<PaymentLink>(one?.url, key, "POST", {
        email: "ana@example.com",
        currency: "MYR",
        amount: 1_250,
        title: "Kelas",
        reference: `client-${number}`,
        send_email: false,
      });
      if (!link.data) {
        faults.push(`create: ${link.status}`);
        continue;
      }
      made.push(link.data._id);
      const began = performance.now();
      const list = await send<{ data: PaymentLink[] }>(
        other?.url,
        key,
        "GET",
        undefined,
        `?reference=client-${number}`,
      );
      times.push(performance.now() - began);
      if (!list.data) faults.push(`list: ${list.status}`);
      else if (list.data.data[0]?._id !== link.data._id) faults.push("a list lacks its link");
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, (_, number) => client(number)));
  times.sort((a, b) => a - b);
  const at = (part: number) => Math.round(times[Math.floor(times.length * part)] ?? 0);
  told(
    `${name}: links made and listed at once`,
    `${made.length}, lists p50 ${at(0.5)} ms, p99 ${at(0.99)} ms`,
    made.length > 0,
  );
  expected(`${name}: failed calls and stale lists`, faults, []);
  told(
    `${name}: the slowest list took ms`,
    Math.round(times.at(-1) ?? 0),
    (times.at(-1) ?? 0) < SLOW_MS,
  );
  return {
    lists: times.length,
    replica: (await readsOnReplica()) - before,
    missing: replicaUrl ? await countMissing(replicaUrl, made) : 0,
  };
}

async function untilRead(key: string): Promise<void> {
  const before = await readsOnReplica();
  while ((await readsOnReplica()) === before) {
    await send(webs[0]?.url, key, "GET");
    await pause(100);
  }
}

async function send<T>(
  origin: string | undefined,
  key: string,
  method: string,
  body?: unknown,
  search = "",
): Promise<{ status: number; data?: T }> {
  const answer = await fetch(`${origin}/api/payment-links${search}`, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      ...(body ? { "content-type": "application/json" } : {}),
    },
    ...(body ? { body: JSON.stringify(body) } : {}),
  }).catch(() => undefined);
  if (answer?.status !== 200) return { status: answer?.status ?? 0 };
  return { status: 200, data: ((await answer.json()) as { data: T }).data };
}

/** The reads that both web processes made on the replica so far. */
async function readsOnReplica(): Promise<number> {
  const texts = await Promise.all(
    webs.map(({ metrics }) => fetch(metrics).then((answer) => answer.text())),
  );
  return texts
    .flatMap((text) => [
      ...text.matchAll(/^kutip_replica_reads_total\{outcome="replica"\} (\d+)$/gm),
    ])
    .reduce((sum, [, count]) => sum + Number(count), 0);
}

async function countMissing(url: string, ids: readonly string[]): Promise<number> {
  const [row] = await onServer<{ count: number }>(
    url,
    "select count(*)::int as count from unnest($1::text[]) as made(id) where not exists (select from payment_links where payment_links.id = made.id)",
    [ids],
  );
  return row?.count ?? 0;
}

async function onServer<T extends object>(
  url: string,
  statement: string,
  values: unknown[] = [],
): Promise<T[]> {
  const client = new pg.Client(connectionOptions(url));
  await client.connect();
  return client
    .query<T>(statement, values)
    .then(({ rows }) => rows)
    .finally(() => client.end());
}
