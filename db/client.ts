import { AsyncLocalStorage } from "node:async_hooks";
import { drizzle, type NodePgDatabase } from "drizzle-orm/node-postgres";
import pg from "pg";
import { env } from "@/lib/env";
import { log } from "@/lib/kernel/log";
import { connectionOptions } from "./connection";

let made: pg.Pool | undefined;

/** The one pool of this process, made on first use so that a build can import it without a database. */
export function pool(): pg.Pool {
  if (made) return made;
  made = new pg.Pool({
    ...connectionOptions(),
    max: env.DATABASE_POOL,
    connectionTimeoutMillis: 2_000,
    idleTimeoutMillis: 30_000,
    allowExitOnIdle: true,
  });
  // A backend that dies while idle, or between a query's end and its release, must not take the process with it.
  made.on("error", (error) => log.warn({ err: error }, "database connection lost"));
  made.on("connect", (client) => client.on("error", () => undefined));
  return made;
}

/** Ends the pool; the next use makes a new one. */
export async function closePool(): Promise<void> {
  const ending = made;
  made = undefined;
  await ending?.end();
}

// Only what Drizzle needs of a pool: handing over the pool itself would open it while Next.js builds.
const lazyPool = new Proxy({} as pg.Pool, {
  get(_target, key) {
    const real = pool();
    const value = Reflect.get(real, key, real) as unknown;
    return typeof value === "function" ? value.bind(real) : value;
  },
  getPrototypeOf: () => pg.Pool.prototype,
});

/** Drizzle over the pool. Statements run outside a transaction; see `withTransaction`. */
export const db: NodePgDatabase = drizzle({ client: lazyPool });

/** What `withTransaction` hands to its body. */
export type Tx = Parameters<Parameters<typeof db.transaction>[0]>[0];

/** Where a statement runs: in a transaction, or by itself on the pool. */
export type Executor = Tx | typeof db;

const inside = new AsyncLocalStorage<true>();

/** Runs `body` in one transaction (read committed) and commits, or rolls back when it throws. Never nest: a second connection inside can deadlock the pool. */
export async function withTransaction<T>(body: (tx: Tx) => Promise<T>): Promise<T> {
  if (inside.getStore()) throw new Error("a transaction was begun inside another one");
  return db.transaction((tx) => inside.run(true, () => body(tx)));
}

/** Throws when called with a transaction open: gateways, mail and webhooks may take seconds, and a row lock must not wait for them. */
export function assertNoTransaction(what: string): void {
  if (inside.getStore()) throw new Error(`${what} was called inside a transaction`);
}
