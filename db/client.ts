import { AsyncLocalStorage } from "node:async_hooks";
import { drizzle, type NodePgDatabase } from "drizzle-orm/node-postgres";
import pg from "pg";
import { env, installed } from "@/lib/env";
import { log, processName } from "@/lib/kernel/log";
import { isTraced, traced } from "@/lib/kernel/trace";
import { connectionOptions, directUrl, isRemote, type Work } from "./connection";
import { keepHeartbeat } from "./heartbeat";
import { KeepingPool } from "./keeping-pool";
import { databaseLimits } from "./limits";
import { watchPool } from "./pool-metrics";

// Long work has a pool of its own: it keeps no connection from requests, and its statements may take longer.
// Heavy reads may take seconds, and must never keep a create or a payer waiting.
// Reads of lists, searches, exports and the overview go to a replica where there is one.
// Health checks wait for nothing else: long work may take hours.
type PoolName = Work | "heavyRead" | "replica" | "check";
export const HEAVY_READ_CONNECTIONS = 3;
const POOL_SIZE: Record<PoolName, () => number> = {
  request: () => env.DATABASE_POOL,
  long: () => 2,
  check: () => 1,
  heavyRead: () => HEAVY_READ_CONNECTIONS,
  replica: () => env.DATABASE_POOL,
};

const scope = new AsyncLocalStorage<"long" | "check">();
const pools = new Map<PoolName, pg.Pool>();
const unwatch: (() => void)[] = [];
/** How to stop the heartbeat of each address that a pool leads to. */
const heartbeats = new Map<string, () => void>();
let closed = false;

/** Keeps calls from the database until it is opened; long work goes on. They end as 503. */
export function closeDatabase(): void {
  closed = true;
}

/** Lets calls through again. */
export function openDatabase(): void {
  closed = false;
}

/** Whether calls reach the database: not before this process has joined the install, nor after an upgrade has refused its version. */
export const isDatabaseOpen = (): boolean => !closed;

/** A pool of this process: for requests, or for long work within `longWork`. Created on first use, so that a build can import it without a database. */
export function pool(name: PoolName = scope.getStore() ?? "request"): pg.Pool {
  if (closed && name !== "long" && name !== "check")
    throw Object.assign(new Error("this process has not joined the install yet"), {
      code: "57P03",
    });
  const known = pools.get(name);
  if (known) return known;
  const { connectMs, placeMs } = databaseLimits();
  const url = addressOf(name);
  const options = {
    ...connectionOptions(url, name === "long" ? "long" : "request"),
    connectLimitMs: connectMs,
  };
  const made = new KeepingPool({
    ...options,
    // Shows in pg_stat_activity which process and pool holds a connection.
    application_name: `kutip pool ${name} (${processName(process.argv[1])})`,
    max: POOL_SIZE[name](),
    connectionTimeoutMillis: placeMs,
    idleTimeoutMillis: 30_000,
    allowExitOnIdle: true,
  });
  made.on("error", (error) => log.warn({ err: error }, "database connection lost"));
  pools.set(name, made);
  unwatch.push(watchPool(name, made));
  if (url && isRemote(url) && !heartbeats.has(url)) heartbeats.set(url, keepHeartbeat(url));
  return made;
}

function addressOf(name: PoolName): string | undefined {
  if (name === "replica") return env.DATABASE_REPLICA_URL;
  return name === "long" || name === "check" ? directUrl() : env.DATABASE_URL;
}

/** Runs what takes long statements, such as purges and the operator's commands, beside the pool of the requests and with limits of its own. */
export const longWork = <T>(body: () => Promise<T>): Promise<T> => scope.run("long", body);

/** Runs a short check that must wait for no other work, such as one of health, on a connection of its own. */
export const checkWork = <T>(body: () => Promise<T>): Promise<T> => scope.run("check", body);

/** Runs what must not wait for long work, also when it was started within it. */
export const requestWork = <T>(body: () => Promise<T>): Promise<T> => scope.exit(body);

/** Ends the pools; the next use makes new ones. */
export async function closePool(): Promise<void> {
  for (const stop of heartbeats.values()) stop();
  heartbeats.clear();
  const ending = [...pools.values()];
  pools.clear();
  for (const stop of unwatch.splice(0)) stop();
  await Promise.all(ending.map((one) => one.end()));
}

/** The transaction that a call runs in. What it started and did not wait for may outlive it. */
const inside = new AsyncLocalStorage<{ open: boolean }>();
const isInside = () => inside.getStore()?.open === true;

/** Runs what the caller of a transaction starts in it and does not wait for. */
export const outsideTransaction = <T>(body: () => Promise<T>): Promise<T> =>
  inside.exit(async () => await body());

let isNoted = false;

/** A transaction that waits for the pool keeps the connection that others wait for: enough of them stop the pool. */
function assertFreeToWait(): void {
  if (!isInside()) return;
  const error = new Error("a statement inside a transaction was sent to the pool");
  if (!installed) throw error;
  if (!isNoted) log.error({ err: error }, "a transaction waits for a second connection");
  isNoted = true;
}

const pinned = new AsyncLocalStorage<pg.PoolClient>();

/** Runs `body` with its statements on this connection instead of the pool, one after the other. */
export const onConnection = <T>(client: pg.PoolClient, body: () => Promise<T>): Promise<T> =>
  // Awaited inside: a Drizzle query begins when it is awaited.
  pinned.run(oneAtATime(client), async () => await body());

// Only what Drizzle needs of a pool: handing over the pool itself would open it while Next.js builds.
const lazyPool = new Proxy({} as pg.Pool, {
  get(_target, key) {
    const own = key === "query" ? pinned.getStore() : undefined;
    if (!own && (key === "query" || key === "connect")) assertFreeToWait();
    const real = own ?? pool();
    const value = Reflect.get(real, key, real) as unknown;
    if (typeof value !== "function") return value;
    if (key !== "query" || !isTraced()) return value.bind(real);
    return (...asked: unknown[]) => asSpan(asked, () => Reflect.apply(value, real, asked));
  },
  getPrototypeOf: () => pg.Pool.prototype,
});

/** Drizzle over the pool. Statements run outside a transaction; see `withTransaction`. */
export const db: NodePgDatabase = drizzle({ client: lazyPool });

/** What `withTransaction` hands to its body. */
export type Tx = Parameters<Parameters<typeof db.transaction>[0]>[0];

/** Where a statement runs: in a transaction, or alone on the pool. */
export type Executor = Tx | typeof db;

/** A statement in the trace, with the wait for its turn. Drizzle puts values beside the text, never into it. */
function asSpan([asked]: unknown[], send: () => Promise<unknown>): Promise<unknown> {
  const text = typeof asked === "string" ? asked : ((asked as pg.QueryConfig).text ?? "");
  const verb = /[a-z]+/i.exec(text)?.[0].toLowerCase() ?? "statement";
  const attributes = { "db.system.name": "postgresql", "db.query.text": text };
  return traced({ name: `sql ${verb}`, kind: "client", attributes }, send);
}

/** The connection, where each statement waits for the end of the one before. */
function oneAtATime(client: pg.PoolClient): pg.PoolClient {
  let last: Promise<unknown> = Promise.resolve();
  const query = (...asked: unknown[]) => {
    const send = () => Reflect.apply(client.query, client, asked) as Promise<unknown>;
    return (last = isTraced() ? asSpan(asked, () => last.then(send, send)) : last.then(send, send));
  };
  return Object.create(client, { query: { value: query } }) as pg.PoolClient;
}

/** Runs `body` in one transaction (read committed) and commits, or rolls back when it throws. Never nest: a second connection inside can deadlock the pool. */
export async function withTransaction<T>(body: (tx: Tx) => Promise<T>): Promise<T> {
  if (isInside()) throw new Error("a transaction was started inside another one");
  const client = await pool().connect();
  const transaction = { open: true };
  // Drizzle would keep the client for ever where `begin` fails.
  try {
    return await drizzle({ client: oneAtATime(client) }).transaction((tx) =>
      inside.run(transaction, () => body(tx)),
    );
  } finally {
    transaction.open = false;
    client.release();
  }
}

/** Throws when called with a transaction open: gateways, mail and webhooks may take seconds, and a row lock must not wait for them. */
export function assertNoTransaction(what: string): void {
  if (isInside()) throw new Error(`${what} was called inside a transaction`);
}
