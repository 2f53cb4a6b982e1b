import pg from "pg";
import type postgres from "postgres";
import { env } from "@/lib/env";
import { LimitedClient, withPassword } from "./limited-client";
import { databaseLimits } from "./limits";

/** What a connection is for: a request or a claim of the worker, or work with long statements. */
export type Work = "request" | "long";

// Sent at the start of each session. PgBouncer refuses it, so `?pgbouncer=true` leaves it out, and `connect_query` in
// deploy/proxies/pgbouncer.ini sets the same. The server ends a statement before we stop to wait for it, so that only a lost connection leaves its outcome unknown.
const session = (work: Work) => {
  const { requestMs, longMs } = databaseLimits();
  const statementMs = Math.round((work === "long" ? longMs : requestMs) * 0.8);
  return `-c timezone=UTC -c statement_timeout=${statementMs} -c idle_in_transaction_session_timeout=15s -c lock_timeout=${Math.round(requestMs * 0.6)}`;
};

/** The address of what needs a session of its own, which PgBouncer in transaction mode does not give: listening, migrations, long work. */
export const directUrl = (): string | undefined => env.DATABASE_DIRECT_URL ?? env.DATABASE_URL;

type Host = { host: string; port?: number };

/**
 * Connection options from DATABASE_URL, for long work from the direct address. `?host=/folder` names a unix socket; several hosts stand with commas between them, as libpq has it,
 * and the one that takes writes is used. Throws when the setting is missing.
 */
export function connectionOptions(given?: string, work: Work = "request"): pg.PoolConfig {
  const url = given ?? (work === "long" ? directUrl() : env.DATABASE_URL);
  if (!url) throw new Error("DATABASE_URL is not set");
  const { address, hosts } = parse(url);
  const { requestMs, longMs } = databaseLimits();
  const isPooled = address.searchParams.get("pgbouncer") === "true";
  const options = {
    ...(isPooled ? { withoutNames: true } : { options: session(work) }),
    Client: LimitedClient,
    address: url,
    statementLimitMs: work === "long" ? longMs : requestMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: 1_000,
  };
  address.searchParams.delete("pgbouncer");
  const [first] = hosts;
  if (hosts.length > 1) return { ...plain(address), ...options, Client: clientOf(hosts) };
  if (first?.host.startsWith("/")) return { ...plain(address), ...options, ...first };
  return { connectionString: address.href, ...options };
}

function plain(address: URL): pg.ClientConfig {
  const { username, searchParams, pathname } = address;
  const ssl = tlsOf(address);
  // As pg, which prefers those among the parameters.
  const password = searchParams.get("password") || decodeURIComponent(address.password);
  return {
    user: searchParams.get("user") || decodeURIComponent(username),
    ...(password ? { password } : {}),
    database: decodeURIComponent(pathname.slice(1)),
    ...(ssl ? { ssl } : {}),
  };
}

/** TLS as pg reads it from the address of one host, with the certificates of `sslrootcert`, `sslcert` and `sslkey`. */
function tlsOf(address: URL): pg.ClientConfig["ssl"] {
  // Opens no connection.
  const { ssl } = new pg.Client({ connectionString: address.href }) as unknown as pg.ClientConfig;
  // pg hides the key from copies of its options.
  return typeof ssl === "object" && ssl.key !== undefined ? { ...ssl, key: ssl.key } : ssl;
}

/** URL knows no list of hosts: it is taken out first, the rest is read with the first host in its place. */
function parse(url: string): { address: URL; hosts: Host[] } {
  const [, before = "", list = "", after = ""] =
    /^(\w+:\/\/(?:[^@/?#]*@)?)([^/?#]*)(.*)$/s.exec(url) ?? [];
  const named = list.split(",");
  const address = new URL(`${before}${named[0]}${after}`);
  const sockets = address.searchParams.get("host");
  if (sockets?.startsWith("/")) {
    const port = address.port ? { port: Number(address.port) } : {};
    return { address, hosts: sockets.split(",").map((host) => ({ host, ...port })) };
  }
  const hosts = named.map((one) => {
    const { hostname, port } = new URL(`postgres://${one}`);
    return { host: hostname.replace(/^\[(.*)\]$/, "$1"), port: port ? Number(port) : 5432 };
  });
  return { address, hosts };
}

/** Whether the direct address leads to PgBouncer too, so that no connection has a session of its own. */
export const isPooled = (): boolean =>
  parse(directUrl() ?? "").address.searchParams.get("pgbouncer") === "true";

/** The hosts of an address; behind a socket its folder. */
export const hostsOf = (url: string): readonly Host[] => parse(url).hosts;

/** The direct address for postgres.js, which does the listening; of several hosts it takes the one that takes writes. */
export function listenOptions(): postgres.Options<Record<string, never>> {
  const { address, hosts } = parse(directUrl() ?? "");
  const { user = "", password, database = "", ssl } = plain(address);
  return {
    ...(hosts.length > 1
      ? { host: hosts.map(({ host, port }) => `${host}:${port ?? 5432}`).join(",") }
      : { host: hosts[0]?.host, port: hosts[0]?.port ?? 5432 }),
    user,
    database,
    password: typeof password === "string" ? password : undefined,
    ...(ssl ? { ssl: ssl as object } : {}),
    ...(hosts.length > 1 ? { target_session_attrs: "read-write" } : {}),
  };
}

/** Whether the database is reached over a network, which can be cut without a word, as against a unix socket. */
export const isRemote = (url: string | undefined = env.DATABASE_URL): boolean =>
  url !== undefined && parse(url).hosts.some(({ host }) => !host.startsWith("/"));

/** A connected client outside the pool, to the direct address and for long work unless `more` says otherwise; of several hosts the first that takes writes. The caller ends it. */
export async function connectClient(
  url?: string,
  more: pg.ClientConfig & { statementLimitMs?: number } = {},
): Promise<LimitedClient> {
  const { Client: Chosen = LimitedClient, ...config } = connectionOptions(url, "long");
  const tries = parse(url ?? directUrl() ?? "").hosts.length;
  for (let left = tries; ; left--) {
    const client = new (Chosen as typeof LimitedClient)({ ...config, ...more });
    try {
      await client.connect();
      return client;
    } catch (error) {
      if (left <= 1) throw error;
    }
  }
}

/** Which host of a list worked last; all pools and clients of this process share it, so that each failover is found out once. */
const lastWorking = new Map<string, { at: number }>();

/** A client that goes to the host that worked last; one that is away or takes no writes makes the next connection try the following one. */
function clientOf(hosts: readonly Host[]): NonNullable<pg.PoolConfig["Client"]> {
  const list = JSON.stringify(hosts);
  const current = lastWorking.get(list) ?? { at: 0 };
  lastWorking.set(list, current);
  return class HostClient extends LimitedClient {
    readonly #at = current.at;

    constructor(config?: pg.ClientConfig) {
      super(withPassword({ ...config, ...hosts[current.at] }, config?.password));
    }

    override connect(): Promise<pg.Client>;
    override connect(
      callback: ((error: Error) => void) | ((error: null, client: pg.Client) => void),
    ): void;
    override connect(
      callback?: ((error: Error) => void) | ((error: null, client: pg.Client) => void),
    ): Promise<pg.Client> | undefined {
      const done = this.#connect();
      if (!callback) return done;
      const told = callback as (error: Error | null, client?: pg.Client) => void;
      done.then((client) => told(null, client), told);
      return undefined;
    }

    async #connect(): Promise<pg.Client> {
      try {
        await super.connect();
        const { rows } = await this.query<{ transaction_read_only: string }>(
          "show transaction_read_only",
        );
        if (rows[0]?.transaction_read_only !== "off")
          throw Object.assign(new Error("this server takes no writes"), { code: "25006" });
        return this;
      } catch (error) {
        if (current.at === this.#at) current.at = (current.at + 1) % hosts.length;
        await this.end().catch(() => undefined);
        throw error;
      }
    }
  };
}
