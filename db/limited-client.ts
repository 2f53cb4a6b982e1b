import pg from "pg";

type Config = pg.ClientConfig & {
  /** Milliseconds after which a statement without an answer ends its connection; 0 is no limit. */
  statementLimitMs?: number;
  /** Of a pool: milliseconds until a new connection has to be there. The pool's own limit also covers the wait for a free place. */
  connectLimitMs?: number;
};
type Socket = { bytesRead: number; destroy: (error: Error) => void };
type Inner = {
  connection: { stream: Socket; once: (event: "connect", listener: () => void) => void };
};
type Send = (...args: unknown[]) => unknown;
type Callback = (...results: unknown[]) => void;

const open = new Set<LimitedClient>();

/** What `silentSince` compares: the bytes that each open connection had read. */
export type Reading = ReadonlyMap<LimitedClient, number>;

/**
 * A client with a limit for statements on our side. A connection that does not answer in time is destroyed, never used again:
 * pg's own query_timeout would leave it in the middle of a statement. Whether that statement was done is unknown.
 */
export class LimitedClient extends pg.Client {
  /** Lets the process end although this connection is open. */
  declare unref: () => void;

  constructor(config: Config = {}) {
    const { connectLimitMs } = config;
    super(
      connectLimitMs === undefined
        ? config
        : { ...config, connectionTimeoutMillis: connectLimitMs },
    );
    const limitMs = config.statementLimitMs ?? 0;
    const send: Send = (...args) => (super.query as Send).apply(this, args);
    if (limitMs > 0)
      this.query = ((...args: unknown[]) =>
        this.#limited(limitMs, send, args)) as typeof this.query;
    this.#inner.connection.once("connect", () => open.add(this));
    this.once("end", () => open.delete(this));
  }

  get #inner(): Inner {
    return this as unknown as Inner;
  }

  get bytesRead(): number {
    return this.#inner.connection.stream.bytesRead;
  }

  /** Destroys the connection: what waits for it ends with this error, and a pool does not take it back. */
  drop(reason: string): void {
    const error = Object.assign(new Error(`${reason}; the connection is closed`), {
      code: "ETIMEDOUT",
    });
    this.#inner.connection.stream.destroy(error);
  }

  #limited(limitMs: number, send: Send, args: unknown[]): unknown {
    let over = false;
    let timer: NodeJS.Timeout | undefined;
    const done = () => {
      over = true;
      clearTimeout(timer);
    };
    // An answer that arrived while this process was busy is read before the check runs.
    const check = () =>
      setImmediate(() => over || this.drop(`the database did not answer within ${limitMs} ms`));
    timer = setTimeout(check, limitMs);
    const last = args.at(-1);
    if (typeof last === "function") {
      const answer = last as Callback;
      args[args.length - 1] = (...results: unknown[]) => {
        done();
        answer(...results);
      };
    }
    const result = send(...args);
    if (result instanceof Promise) result.then(done, done);
    return result;
  }
}

/** How much each open connection has read so far; unix sockets are left out, since they cannot be cut silently. */
export const readConnections = (): Reading =>
  new Map([...open].filter(isRemote).map((client) => [client, client.bytesRead]));

/** Destroys the connections that have read nothing since. */
export function dropSilentSince(before: Reading): void {
  for (const [client, bytes] of before)
    if (open.has(client) && client.bytesRead === bytes)
      client.drop("the database's heartbeat stopped");
}

function isRemote(client: LimitedClient): boolean {
  return !client.host.startsWith("/");
}
