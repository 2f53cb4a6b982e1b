import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type pg from "pg";
import { from as copyFrom } from "pg-copy-streams";
import { Refusal } from "../embedded/refusal";
import { secretCheckKey, upgradeCopyKey } from "../setting-keys";
import { tablesOf } from "./catalog";
import type { ExportHead, Part } from "./parts";
import { copySession } from "./session";
import { assertEmpty } from "./target";

/**
 * Fills the database that long work goes to, in one transaction. It has the schema of the export already; one that holds a business or an account is
 * refused. `finish` gets the check value of its secret, and the connection for what has to be committed with the rows.
 */
export async function load(
  head: ExportHead,
  parts: AsyncIterator<Part>,
  finish: (secretCheck: string | undefined, client: pg.Client) => Promise<void>,
): Promise<{ tables: number; rows: number }> {
  return copySession("", async (client) => {
    // Inserts into these wait from here on, and those under way are waited for: the truncation removes no row that was not seen.
    await client.query("lock table businesses, auth_users in share row exclusive mode");
    await assertEmpty(client);
    const tables = head.tables.map(({ table }) => table);
    const there = await tablesOf(client);
    if (JSON.stringify(shape(there)) !== JSON.stringify(shape(head.tables)))
      throw new Refusal("the export has other tables or columns than its version of Kutip makes");
    // References are checked as a whole at the end, and rows come as they were written: triggers have seen them before.
    const references = await dropReferences(client);
    for (const { partitions } of there)
      for (const { path } of partitions) await client.query(`drop table ${path}`);
    for (const { table, partitions } of head.tables)
      for (const { path, bound } of partitions)
        await client.query(`create table ${path} partition of ${table} ${bound}`);
    for (const table of tables) await client.query(`alter table ${table} disable trigger user`);
    await client.query(`truncate ${tables.join(", ")}`);
    const rows = await copyAll(client, head, parts);
    for (const { path, last } of head.sequences)
      await client.query(`select setval('${path}', ${BigInt(last)})`);
    for (const table of tables) await client.query(`alter table ${table} enable trigger user`);
    for (const { table, partitions } of head.tables)
      for (const { path } of partitions)
        await client.query("select copy_statement_triggers($1, $2)", [bare(table), bare(path)]);
    for (const { table, name, definition } of references)
      await client.query(`alter table ${table} add constraint ${name} ${definition}`);
    await client.query(`delete from settings where key = '${upgradeCopyKey}'`);
    const { rows: kept } = await client.query<{ value: string }>(
      `select value from settings where key = '${secretCheckKey}'`,
    );
    await finish(kept[0]?.value, client);
    return { tables: tables.length, rows };
  });
}

const shape = (tables: ExportHead["tables"]) =>
  tables.map(({ table, columns }) => [table, [...columns].sort()]);

/** The name in the schema public, where all partitioned tables are. */
const bare = (path: string) => path.replace(/^public\./, "");

type Reference = { table: string; name: string; definition: string };

async function dropReferences(client: pg.Client): Promise<Reference[]> {
  const { rows: found } = await client.query<Reference>(`
    select c.conrelid::regclass::text as table, quote_ident(c.conname) as name, pg_get_constraintdef(c.oid) as definition
    from pg_constraint c join pg_class t on t.oid = c.conrelid join pg_namespace n on n.oid = t.relnamespace
    where c.contype = 'f' and c.conparentid = 0 and n.nspname in ('public', 'simulator') order by 1, 2`);
  for (const { table, name } of found)
    await client.query(`alter table ${table} drop constraint ${name}`);
  return found;
}

async function copyAll(
  client: pg.Client,
  head: ExportHead,
  parts: AsyncIterator<Part>,
): Promise<number> {
  let rows = 0;
  for (const { table, columns } of head.tables) {
    const begin = (await parts.next()).value as Part | undefined;
    if (!begin || !("begin" in begin) || begin.begin !== table)
      throw new Refusal(`the export lacks the table ${table}`);
    let end: { end: string; rows: number } | undefined;
    const data = async function* (): AsyncGenerator<Buffer> {
      for (;;) {
        const { value, done } = await parts.next();
        if (done) throw new Refusal("the export ends too early");
        if (!Buffer.isBuffer(value)) {
          end = value as typeof end;
          return;
        }
        yield value;
      }
    };
    await pipeline(
      Readable.from(data(), { objectMode: false }),
      client.query(copyFrom(`copy ${table} (${columns.join(", ")}) from stdin`)),
    );
    const { rows: counted } = await client.query<{ n: string }>(
      `select count(*) as n from ${table}`,
    );
    const count = Number(counted[0]?.n);
    if (end?.end !== table || count !== end.rows)
      throw new Refusal(
        `the table ${table} has ${count} rows, and the export counted ${end?.rows ?? 0}`,
      );
    rows += end.rows;
  }
  // Reading on proves the checksum of the whole file before anything is committed.
  if (!(await parts.next()).done) throw new Refusal("the export has more in it than it says");
  return rows;
}
