import type pg from "pg";
import type { ConcurrentIndex } from "./migration-files";

type Table = { oid: number; schema: string; name: string; path: string; kind: "r" | "p" };

type Steps = {
  /** Called with the name of each index that was built. */
  built: (name: string) => Promise<void>;
  /** Runs a statement that keeps writers waiting while it waits for its lock. */
  block: (step: string, statement: string) => Promise<void>;
};

/**
 * Builds an index while its table is read and written. On a partitioned table each partition gets its index, which is then attached.
 * An invalid index that a crash left is dropped and built again. The client has no transaction open and no lock timeout: the build waits
 * for older transactions and blocks none.
 */
export async function buildConcurrently(
  client: pg.ClientBase,
  { unique, name, table: named, definition }: ConcurrentIndex,
  { built, block }: Steps,
): Promise<void> {
  const kind = unique ? "unique index" : "index";
  const build = async (on: Table, indexName: string) => {
    const found = await validity(client, on.schema, indexName);
    if (found === false)
      await client.query(`drop index concurrently "${on.schema}"."${indexName}"`);
    if (!found)
      await client.query(`create ${kind} concurrently "${indexName}" on ${on.path} ${definition}`);
    await built(indexName);
  };

  const [table] = await tables(client, "c.oid = $1::regclass", named);
  if (!table) throw new Error(`there is no table ${named}`);
  if (table.kind === "r") return build(table, name);
  // Partitions that are created from here on get their index with them.
  await block(
    `declared ${name}`,
    `create ${kind} if not exists "${name}" on only ${table.path} ${definition}`,
  );
  const whole = `"${table.schema}"."${name}"`;
  for (const partition of await tables(client, UNINDEXED, table.oid, whole)) {
    if (partition.kind === "p") throw new Error(`${partition.path} has partitions of its own`);
    const full = `${partition.name}_${name}`;
    const part = full.length <= 63 ? full : `${name.slice(0, 50)}_${partition.oid}`;
    await build(partition, part);
    await block(
      `attached ${part}`,
      `alter index ${whole} attach partition "${partition.schema}"."${part}"`,
    );
  }
  if (!(await validity(client, table.schema, name)))
    throw new Error(`the index ${name} misses a partition`);
}

/** Partitions of table $1 without a part of index $2. */
const UNINDEXED = `c.oid in (select inhrelid from pg_inherits where inhparent = $1)
  and not exists (select 1 from pg_index x join pg_inherits i on i.inhrelid = x.indexrelid
    where x.indrelid = c.oid and i.inhparent = $2::regclass)`;

async function tables(
  client: pg.ClientBase,
  which: string,
  ...values: unknown[]
): Promise<Table[]> {
  const { rows } = await client.query<Table>(
    `select c.oid, n.nspname as schema, c.relname as name, format('%I.%I', n.nspname, c.relname) as path, c.relkind as kind
     from pg_class c join pg_namespace n on n.oid = c.relnamespace where ${which} order by c.relname`,
    values,
  );
  return rows;
}

/** Whether the index can be used; undefined when it does not exist. */
async function validity(
  client: pg.ClientBase,
  schema: string,
  name: string,
): Promise<boolean | undefined> {
  const { rows } = await client.query<{ valid: boolean }>(
    `select x.indisvalid as valid from pg_index x join pg_class c on c.oid = x.indexrelid
     join pg_namespace n on n.oid = c.relnamespace where n.nspname = $1 and c.relname = $2`,
    [schema, name],
  );
  return rows[0]?.valid;
}
