import type pg from "pg";
import { connectClient } from "./connection";
import { askDistributed, copiedTables } from "./distributed";
import { Refusal } from "./embedded/refusal";
import { spreadFunctions } from "./spread-triggers";

/** Tables of no business, or that find it: on the coordinator. Statements join the known ones with tables on all servers. */
const knownTables = ["settings", "workers"];
/** Shards of tables without a primary key move to another server only with this. */
const keyless = ["payment_counts", "payment_link_counts", "payment_link_stages", "payment_sums"];
/** Functions that alone may change or delete events. */
const delegated = [
  "erase_payer(integer,text,jsonb,text)",
  "drop_old_rows(integer,text,integer,integer)",
];
const OLDEST_CITUS = 13;

type Named = { table: string; name: string; definition: string };

/**
 * Turns the database into one that is spread over the servers of a Citus cluster, by business, in one transaction. Throws a Refusal where that
 * cannot be. Returns the names of the spread tables.
 */
export async function distribute(
  shards: number,
  { onStep = () => undefined }: { onStep?: (step: string) => void } = {},
): Promise<string[]> {
  const client = await connectClient(undefined, {
    statementLimitMs: 0,
    application_name: "kutip distribute",
  });
  try {
    await assertReady(client);
    const { rows } = await client.query<{ name: string }>("select current_database() as name");
    await client.query(
      `alter database ${client.escapeIdentifier(rows[0]?.name ?? "")} set citus.enable_unsafe_triggers = on`,
    );
    await client.query(
      `begin; set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0; set local lock_timeout = '10s'; set local citus.enable_unsafe_triggers = on;
       set local citus.multi_shard_modify_mode = 'sequential'; set local client_min_messages = error; set local citus.shard_count = ${shards}`,
    );
    const spread = await spreadTables(client, onStep);
    await client.query("commit");
    return spread;
  } finally {
    await client.end();
  }
}

async function spreadTables(client: pg.Client, onStep: (step: string) => void): Promise<string[]> {
  const tables = await tablesOfBusinesses(client);
  await lockTables(client, [...tables, ...copiedTables]);
  const keys = await foreignKeys(client);
  const triggers = await triggersOf(client, [...tables, ...copiedTables]);
  for (const { table, name } of keys)
    await client.query(`alter table ${table} drop constraint "${name}"`);
  for (const { table, name } of triggers) await client.query(`drop trigger "${name}" on ${table}`);
  await spreadFunctions(client);

  for (const table of copiedTables) {
    onStep(table);
    await client.query("select create_reference_table($1)", [table]);
  }
  for (const table of knownTables)
    await client.query("select citus_add_local_table_to_metadata($1)", [table]);
  for (const [at, table] of tables.entries()) {
    onStep(table);
    await client.query(
      "select create_distributed_table($1, 'business_id', colocate_with => $2, shard_count => null)",
      [table, at === 0 ? "none" : tables[0]],
    );
    await client.query("select truncate_local_data_after_distributing_table($1)", [table]);
  }
  // These run as a whole on the server of their business, where a trigger sees which one is the caller.
  for (const one of delegated)
    await client.query(
      "select create_distributed_function($1, 'business', colocate_with := 'payment_links', force_delegation := true)",
      [one],
    );
  for (const table of keyless) await client.query(`alter table ${table} replica identity full`);
  for (const { table, name, definition } of keys)
    await client.query(`alter table ${table} add constraint "${name}" ${definition}`);
  // A server that has notified cannot prepare a commit: the process that writes an event notifies.
  for (const { name, definition } of triggers)
    if (name !== "events_told")
      for (const one of triggersForShards(name, definition)) await client.query(one);
  return tables;
}

/** A shard has no trigger that fires for TRUNCATE too: the coordinator's table gets that one apart. */
function triggersForShards(name: string, definition: string): string[] {
  if (!definition.includes(" OR TRUNCATE ON ")) return [definition];
  const apart = definition
    .replace(/ BEFORE .* OR TRUNCATE ON /, " BEFORE TRUNCATE ON ")
    .replace(name, `${name}_whole`);
  return [definition.replace(" OR TRUNCATE ON ", " ON "), apart];
}

/** Waits for writers that are under way. A later one waits for the end of the change. */
async function lockTables(client: pg.Client, tables: readonly string[]): Promise<void> {
  await client.query(`lock table ${tables.join(", ")} in access exclusive mode`);
}

async function tablesOfBusinesses(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid
     where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition and attname = 'business_id'
       and relname <> 'directory' and not relname = any($1) order by relname`,
    [copiedTables],
  );
  return rows.map(({ name }) => name);
}

async function foreignKeys(client: pg.Client): Promise<Named[]> {
  const { rows } = await client.query<Named>(
    `select conrelid::regclass::text as table, conname as name, pg_get_constraintdef(oid) as definition from pg_constraint
     where contype = 'f' and connamespace = 'public'::regnamespace and conparentid = 0 order by conrelid::regclass::text, conname`,
  );
  return rows;
}

/** Triggers for each row of a partitioned table come with it; those for a statement are on each partition. */
async function triggersOf(client: pg.Client, tables: readonly string[]): Promise<Named[]> {
  const { rows } = await client.query<Named>(
    `select tgrelid::regclass::text as table, tgname as name, pg_get_triggerdef(t.oid) as definition from pg_trigger t
     left join pg_inherits i on i.inhrelid = tgrelid
     where not tgisinternal and tgparentid = 0 and coalesce(i.inhparent, tgrelid)::regclass::text = any($1)
     order by i.inhparent nulls first, tgrelid::regclass::text, tgname`,
    [tables],
  );
  return rows;
}

async function assertReady(client: pg.Client): Promise<void> {
  const { rows: extensions } = await client.query<{ version: string }>(
    "select extversion as version from pg_extension where extname = 'citus'",
  );
  const [citus] = extensions;
  if (!citus)
    throw new Refusal(
      "the database of DATABASE_URL has no Citus: load its library on every server of the cluster and run CREATE EXTENSION citus there",
    );
  if (Number.parseInt(citus.version, 10) < OLDEST_CITUS)
    throw new Refusal(
      `the database of DATABASE_URL has Citus ${citus.version}: Kutip needs ${OLDEST_CITUS} or newer`,
    );
  const { rows: nodes } = await client.query<{
    here: boolean;
    coordinators: number;
    workers: number;
  }>(
    `select (select groupid = 0 from pg_dist_local_group) as here, (count(*) filter (where groupid = 0))::int as coordinators,
       (count(*) filter (where groupid <> 0 and isactive))::int as workers from pg_dist_node`,
  );
  const [node] = nodes;
  if (!node?.here)
    throw new Refusal("DATABASE_URL names a worker of Citus: set it to the coordinator's address");
  if (node.coordinators === 0)
    throw new Refusal(
      "the coordinator does not know its own address: run SELECT citus_set_coordinator_host('ADDRESS', PORT) there",
    );
  if (node.workers === 0)
    throw new Refusal(
      "the cluster has no workers: run SELECT citus_add_node('ADDRESS', PORT) on the coordinator for each",
    );
  if (await askDistributed(client)) throw new Refusal("this install is distributed already");
  const { rows: settings } = await client.query<{ node: string; prepared: string }>(
    "select nodename || ':' || nodeport as node, result as prepared from run_command_on_all_nodes('show max_prepared_transactions') join pg_dist_node using (nodeid)",
  );
  const unable = settings.filter(({ prepared }) => prepared === "0");
  if (unable.length > 0)
    throw new Refusal(
      `set max_prepared_transactions to twice max_connections on ${unable.map(({ node: name }) => name).join(", ")} and restart it: a commit on two servers is prepared first`,
    );
}
