import { getTableColumns, is, SQL, sql } from "drizzle-orm";
import type { AnyPgColumn, PgTable } from "drizzle-orm/pg-core";
import { type Executor, type Tx, withTransaction } from "./client";
import { type Actor, byColumn } from "./columns";
import type { Owner } from "./owned";

type Caller = Owner & { readonly actor?: Actor; readonly now?: string | undefined };
type Call = { item: unknown; resolve: (result: never) => void; reject: (error: unknown) => void };
type Run = (ctx: never, on: Executor, items: never[]) => Promise<readonly unknown[]>;
type Lane = { run: Run; ctx: Caller; calls: Call[] };

/** The calls that wait for the next statements of a transaction over a set. */
class Waiting {
  #lanes = new Map<Run, Map<string, Lane>>();
  #sending = false;

  constructor(private readonly tx: Tx) {}

  add(run: Run, ctx: Caller, call: Call): void {
    const lanes = this.#lanes.get(run) ?? new Map<string, Lane>();
    this.#lanes.set(run, lanes);
    const { businessId, mode, actor, now } = ctx;
    const name = JSON.stringify([businessId, mode, actor, now]);
    const lane = lanes.get(name) ?? { run, ctx, calls: [] };
    lanes.set(name, lane);
    lane.calls.push(call);
    if (this.#sending) return;
    this.#sending = true;
    // Every row of the set that can go on has made its next call by then.
    queueMicrotask(() => process.nextTick(() => void this.#send()));
  }

  async #send(): Promise<void> {
    const lanes = [...this.#lanes.values()].flatMap((byCaller) => [...byCaller.values()]);
    this.#lanes = new Map();
    for (const { run, ctx, calls } of lanes) {
      try {
        const results = await run(
          ctx as never,
          this.tx,
          calls.map(({ item }) => item as never),
        );
        for (const [at, { resolve }] of calls.entries()) resolve(results[at] as never);
      } catch (error) {
        for (const { reject } of calls) reject(error);
      }
    }
    if (this.#lanes.size > 0) process.nextTick(() => void this.#send());
    else this.#sending = false;
  }
}

const sets = new WeakMap<Executor, Waiting>();

/**
 * Runs `body` for each item, all at the same time in one transaction, where calls of `setwise` functions travel together. One that
 * throws rolls all of them back. Locks of two such transactions may meet in another order: a deadlock fails the set, and its rows are repeated alone.
 */
export async function transactionOver<I, R>(
  items: readonly I[],
  body: (tx: Tx, item: I) => Promise<R>,
): Promise<R[]> {
  return withTransaction((tx) => overSet(tx, items, (item) => body(tx, item)));
}

/** The same in the caller's transaction, which must be rolled back when this throws. */
export async function overSet<I, R>(
  tx: Tx,
  items: readonly I[],
  body: (item: I) => Promise<R>,
): Promise<R[]> {
  if (items.length > 1 && !sets.has(tx)) sets.set(tx, new Waiting(tx));
  return allOf(items.map(body));
}

/** The same, with a result for each item: a set that fails is repeated item by item, so that only the wrong one fails. */
export async function transactionOverEach<I, R>(
  items: readonly I[],
  body: (tx: Tx, item: I) => Promise<R>,
): Promise<PromiseSettledResult<R>[]> {
  try {
    const results = await transactionOver(items, body);
    return results.map((value) => ({ status: "fulfilled", value }));
  } catch (reason) {
    if (items.length === 1) return [{ status: "rejected", reason }];
    const alone: PromiseSettledResult<R>[] = [];
    for (const item of items) alone.push(...(await transactionOverEach([item], body)));
    return alone;
  }
}

/** Waits for all of them, also when one fails, and throws the first failure. */
export async function allOf<R>(calls: readonly Promise<R>[]): Promise<R[]> {
  const ends = await Promise.allSettled(calls);
  return ends.map((end) => {
    if (end.status === "rejected") throw end.reason;
    return end.value;
  });
}

/**
 * A function on one row, made of a statement over several: `run` takes items and gives their results in the same order. Within `transactionOver`
 * calls of the same business, mode, actor and moment share a statement; elsewhere each is its own.
 */
export function setwise<C extends Caller, I, R>(
  run: (ctx: C, on: Executor, items: readonly I[]) => Promise<readonly R[]>,
): (ctx: C, on: Executor, item: I) => Promise<R> {
  return async (ctx, on, item) => {
    const waiting = sets.get(on);
    if (!waiting) return (await run(ctx, on, [item]))[0] as R;
    return new Promise<R>((resolve, reject) =>
      waiting.add(run as unknown as Run, ctx, { item, resolve, reject } as Call),
    );
  };
}

/** The results in the order of the items they belong to, with undefined for an item that has no result. */
export function inOrder<I, R>(
  items: readonly I[],
  rows: readonly R[],
  itemKey: (item: I) => string,
  rowKey: (row: R) => string,
): (R | undefined)[] {
  const byKey = new Map(rows.map((row) => [rowKey(row), row]));
  return items.map((item) => byKey.get(itemKey(item)));
}

/** One change of a row: which values it is found by, and what is written. */
export type RowChange = {
  where: Readonly<Record<string, unknown>>;
  set: Readonly<Record<string, unknown>>;
};

type Changed<T extends PgTable, Shown> = T["$inferSelect"] & {
  [Name in keyof Shown]: Shown[Name] extends SQL<infer Value> ? Value : never;
};

/**
 * Changes rows, each to values of its own, in one statement for all that change the same columns. `scope` is true for each of them. Values are
 * data, or SQL that reads no row and is the same object for all rows; `always` is written to each. Returns the rows that were found, as they now are,
 * each with what `shown` computes from it.
 */
export async function changeRows<
  T extends PgTable,
  Shown extends Readonly<Record<string, SQL>> = Record<never, SQL>,
>(
  on: Executor,
  table: T,
  scope: SQL,
  changes: readonly RowChange[],
  always: Readonly<Record<string, SQL>> = {},
  shown?: Shown,
): Promise<Changed<T, Shown>[]> {
  const columns = getTableColumns(table) as Record<string, AnyPgColumn>;
  const of = (row: "found" | "given", key: string) =>
    sql`${sql.identifier(row)}.${sql.identifier(columns[key]?.name ?? key)}`;
  const numbers = new Map<SQL, number>();
  const shapeOf = ({ where, set }: RowChange) => {
    const written = Object.entries(set).flatMap(([key, value]) => {
      if (value === undefined) return [];
      if (!is(value, SQL)) return [key];
      numbers.set(value, numbers.get(value) ?? numbers.size);
      return [`${key} ${numbers.get(value)}`];
    });
    return [...Object.keys(where), "", ...written.sort()].join();
  };
  const found: Changed<T, Shown>[] = [];
  for (const rows of Map.groupBy(changes, shapeOf).values()) {
    const [first] = rows;
    if (!first) continue;
    const data = rows.map(({ where, set }) => ({
      found: byColumn(table, where),
      given: byColumn(table, dataOf(set)),
    }));
    const written = Object.entries(first.set).flatMap(([key, value]) =>
      value === undefined ? [] : [[key, is(value, SQL) ? value : of("given", key)]],
    );
    const matches = Object.keys(first.where).map(
      (key) => sql`${columns[key] as AnyPgColumn} = ${of("found", key)}`,
    );
    const changed = await on
      .update(table as PgTable)
      .set({ ...Object.fromEntries(written), ...always })
      .from(
        sql`json_array_elements(${JSON.stringify(data)}::json) as change,
          json_populate_record(null::${table}, change -> 'found') as found,
          json_populate_record(null::${table}, change -> 'given') as given`,
      )
      .where(sql`${scope} and ${sql.join(matches, sql` and `)}`)
      .returning({ ...columns, ...shown });
    found.push(...(changed as unknown as Changed<T, Shown>[]));
  }
  return found;
}

const dataOf = (set: RowChange["set"]) =>
  Object.fromEntries(Object.entries(set).filter(([, value]) => !is(value, SQL)));
