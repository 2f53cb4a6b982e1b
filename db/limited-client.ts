import pg from "pg";

type Config = pg.ClientConfig & {
  /** Milliseconds after which a statement without an answer ends its connection; 0 is no limit. */
  statementLimitMs?: number;
  /** Of a pool: milliseconds until a new connection has to be there. The pool's own limit also covers the wait for a free place. */
  connectLimitMs?: number;
  /** Sends named statements without their names: PgBouncer may run the next one in another session, which does not know them. */
  withoutNames?: boolean;
  /** The address of the settings that this connection leads to: a heartbeat judges those of its own alone. */
  address?: string;
};
type Socket = { bytesRead: number; destroy: (error: Error) => void };
type Inner = {
  connection: { stream: Socket; once: (event: "connect", listener: () => void) => void };
  _activeQuery: object | null;
  _queryQueue: readonly object[];
};

const open = new Set<LimitedClient>();

const isUnderWay = (asked: unknown): boolean =>
  typeof asked === "object" && asked !== null && "submit" in asked;

/** A statement as drizzle hands it over. */
const isNamed = (asked: unknown): asked is pg.QueryConfig =>
  typeof asked === "object" && asked !== null && "name" in asked && !isUnderWay(asked);

const SWEEP_MS = 100;
let sweeping: NodeJS.Timeout | undefined;

// One check of all connections replaces a timer and a callback for each statement. These would live long enough to reach V8's
// old generation, which costs 5% of a read. Without statements nothing is checked: an idle process sleeps.
function sweep(): void {
  const late = [...open].filter((client) => client.isLate());
  if (![...open].some((client) => client.isAsked)) {
    clearInterval(sweeping);
    sweeping = undefined;
  }
  if (late.length === 0) return;
  // An answer that arrived while this process was busy is read before the second look.
  setImmediate(() => {
    for (const client of late) if (client.isLate()) client.dropLate();
  });
}

function keepSweeping(): void {
  sweeping ??= setInterval(sweep, SWEEP_MS).unref();
}

/** A pool hides its password from copies of its options, so a copy needs it again. */
export const withPassword = (
  copy: pg.ClientConfig,
  password: pg.ClientConfig["password"],
): pg.ClientConfig => (password === undefined ? copy : { ...copy, password });

/** What `silentSince` compares: the bytes that each open connection had read. */
export type Reading = ReadonlyMap<LimitedClient, number>;

/**
 * A client with a limit for statements on our side. A connection that does not answer in time is destroyed, never used again:
 * pg's own query_timeout would leave it in the middle of a statement. Whether that statement was done is unknown.
 */
export class LimitedClient extends pg.Client {
  /** Lets the process end although this connection is open. */
  declare unref: () => void;

  readonly address: string | undefined;
  readonly #limitMs: number;
  readonly #withoutNames: boolean;
  #statement: object | undefined;
  /** When `#statement` was first seen. */
  #since = 0;

  constructor(config: Config = {}) {
    const { connectLimitMs } = config;
    super(
      connectLimitMs === undefined
        ? config
        : withPassword({ ...config, connectionTimeoutMillis: connectLimitMs }, config.password),
    );
    this.address = config.address;
    this.#limitMs = config.statementLimitMs ?? 0;
    this.#withoutNames = config.withoutNames ?? false;
    this.#inner.connection.once("connect", () => {
      open.add(this);
      keepSweeping();
    });
    this.once("end", () => open.delete(this));
    // The error goes to what waits for the statement. A pool listens only while nothing runs, and an error without a listener ends the process.
    this.on("error", () => undefined);
  }

  /**
   * Where the caller gives no callback, pg makes one and assigns it to a property. V8 puts a function that is written so into its old
   * generation. There it keeps the whole answer until all memory is searched, which came every few seconds under load.
   */
  override query = ((asked: unknown, ...more: unknown[]) => {
    keepSweeping();
    const query = super.query as (...all: unknown[]) => unknown;
    const config = this.#withoutNames && isNamed(asked) ? { ...asked, name: undefined } : asked;
    if (isUnderWay(asked) || more.some((one) => typeof one === "function"))
      return Reflect.apply(query, this, [config, ...more]);
    return new Promise((resolve, reject) => {
      const done = (error: Error | null, result: unknown) =>
        error ? reject(error) : resolve(result);
      Reflect.apply(query, this, [config, more[0], done]);
    }).catch((error: Error) => {
      // Its stack leads to who asked, not to the socket.
      Error.captureStackTrace(error);
      throw error;
    });
  }) as pg.Client["query"];

  /** Whether the statement that runs has had no answer for the limit. Its time counts from the first look that finds it. */
  isLate(): boolean {
    const { _activeQuery: active, _queryQueue: queue } = this.#inner;
    const statement = active ?? queue[0];
    if (statement !== this.#statement) {
      this.#statement = statement;
      this.#since = performance.now();
    }
    if (statement === undefined || this.#limitMs === 0) return false;
    return performance.now() - this.#since > this.#limitMs;
  }

  /** Whether the last look at this connection found a statement. */
  get isAsked(): boolean {
    return this.#statement !== undefined;
  }

  dropLate(): void {
    this.drop(`the database did not answer within ${this.#limitMs} ms`);
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
}

/** How much each open connection to an address has read so far; unix sockets are left out, since they cannot be cut silently. */
export const readConnections = (address: string): Reading =>
  new Map(
    [...open]
      .filter((client) => client.address === address && isRemote(client))
      .map((client) => [client, client.bytesRead]),
  );

/** Destroys the connections that have read nothing since. */
export function dropSilentSince(before: Reading): void {
  for (const [client, bytes] of before)
    if (open.has(client) && client.bytesRead === bytes)
      client.drop("the database's heartbeat stopped");
}

function isRemote(client: LimitedClient): boolean {
  return !client.host.startsWith("/");
}
