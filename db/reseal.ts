import { getTableColumns, getTableName, type SQL, sql } from "drizzle-orm";
import { getTableConfig, type PgColumn, type PgTable } from "drizzle-orm/pg-core";
import { symmetricDecrypt, symmetricEncrypt } from "better-auth/crypto";
import {
  activeKey,
  authSecretOf,
  type Key,
  knownKeys,
  seal,
  unnamedKey,
  unseal,
} from "@/lib/kernel/secrets";
import { db } from "./client";
import { SEALED_COLUMNS } from "./sealed-columns";
import { sqlStateOf } from "./sql-state";

/** How many rows a statement reads at most: one over a whole table of mails would exceed the limit of statements. */
const WINDOW_ROWS = 500;

type Sealed = (typeof SEALED_COLUMNS)[number];
type SealedTable = { table: PgTable; name: string; columns: Sealed[]; key: PgColumn[] };

/** What a pass over all tables did, in rows. Those that others were changing are busy; values that no secret here opens are counted by column. */
export type Pass = { resealed: number; busy: number; unopenable: Record<string, number> };

/** Called after each table with the rows that were re-sealed in it. */
type Progress = (table: string, resealed: number) => void;

/** Seals every value of another secret anew with the active one, some rows at a time. A row that others change meanwhile is left to them. */
export async function resealAll(
  onTable: Progress = () => undefined,
  windowRows = WINDOW_ROWS,
): Promise<Pass> {
  const to = activeKey();
  const pass: Pass = { resealed: 0, busy: 0, unopenable: {} };
  for (const table of sealedTables()) {
    const before = pass.resealed;
    await resealTable(table, to, pass, windowRows);
    onTable(table.name, pass.resealed - before);
  }
  return pass;
}

function sealedTables(): SealedTable[] {
  const tables = new Map<PgTable, SealedTable>();
  for (const sealed of SEALED_COLUMNS) {
    const table = sealed.column.table as PgTable;
    const known = tables.get(table);
    if (known) known.columns.push(sealed);
    else
      tables.set(table, {
        table,
        name: getTableName(table),
        columns: [sealed],
        key: primaryKeyOf(table),
      });
  }
  return [...tables.values()];
}

function primaryKeyOf(table: PgTable): PgColumn[] {
  const [composite] = getTableConfig(table).primaryKeys;
  return (
    composite?.columns ?? Object.values(getTableColumns(table)).filter(({ primary }) => primary)
  );
}

type Row = Record<string, unknown>;
const keyName = (index: number) => `key_${index}`;
const valueName = (index: number) => `value_${index}`;
const list = (parts: SQL[]) => sql.join(parts, sql`, `);

async function resealTable(
  table: SealedTable,
  to: Key,
  pass: Pass,
  windowRows: number,
): Promise<void> {
  for (let after: Row | undefined; ; ) {
    const rows = await nextRows(table, to, after, windowRows);
    for (const row of rows) {
      const values = row.other ? await resealedValues(table, to, row, pass) : undefined;
      if (!values) continue;
      if (await writeRow(table, row, values)) pass.resealed++;
      else pass.busy++;
    }
    after = rows.at(-1);
    if (rows.length < windowRows) return;
  }
}

/** The rows after a key, in the order of the primary key. `other` says which of them hold a value of another secret; the others come without values. */
async function nextRows(
  { table, columns, key }: SealedTable,
  to: Key,
  after: Row | undefined,
  limit: number,
): Promise<Row[]> {
  const differs = columns.map(
    ({ column, sealedBy }) => sql`not starts_with(${column}, ${prefixOf(to, sealedBy)})`,
  );
  const other = sql`coalesce(${sql.join(differs, sql` or `)}, false)`;
  const keys = list(key.map((column) => sql`${column}`));
  const later = after && list(key.map((_, index) => sql`${after[keyName(index)]}`));
  const { rows } = await db.execute<Row>(sql`
    select ${list([
      ...key.map((column, index) => sql`${column} as ${sql.identifier(keyName(index))}`),
      ...columns.map(
        ({ column }, index) =>
          sql`case when ${other} then ${column} end as ${sql.identifier(valueName(index))}`,
      ),
      sql`${other} as other`,
    ])}
    from ${table}${later ? sql` where (${keys}) > (${later})` : sql``}
    order by ${keys} limit ${limit}`);
  return rows;
}

const prefixOf = (to: Key, sealedBy: Sealed["sealedBy"]): string =>
  sealedBy === "better-auth" ? `$ba$${authSecretOf(to).version}$` : `${to.id}.`;

/** The values of a row under the other secret; undefined where nothing changes. */
async function resealedValues(
  { columns, name }: SealedTable,
  to: Key,
  row: Row,
  pass: Pass,
): Promise<(string | null)[] | undefined> {
  let changed = false;
  const values: (string | null)[] = [];
  for (const [index, { column, purpose, sealedBy }] of columns.entries()) {
    const value = row[valueName(index)] as string | null;
    values.push(value);
    if (value === null || value.startsWith(prefixOf(to, sealedBy))) continue;
    try {
      values[index] =
        sealedBy === "better-auth"
          ? await encrypted(value, to)
          : seal(unseal(value, purpose), purpose);
      changed = true;
    } catch {
      const place = `${name}.${column.name}`;
      pass.unopenable[place] = (pass.unopenable[place] ?? 0) + 1;
    }
  }
  return changed ? values : undefined;
}

/** better-auth's own encryption, under the secret that is derived for it. */
async function encrypted(value: string, to: Key): Promise<string> {
  const keys = new Map(
    knownKeys()
      .map(authSecretOf)
      .map((secret) => [secret.version, secret.value]),
  );
  const key = {
    keys,
    currentVersion: authSecretOf(to).version,
    legacySecret: authSecretOf(unnamedKey()).value,
  };
  return symmetricEncrypt({ key, data: await symmetricDecrypt({ key, data: value }) });
}

/** Writes values where they are still the ones that were read: a change by others wins, and no two rows are locked at once. */
async function writeRow(
  { table, columns, key }: SealedTable,
  row: Row,
  values: (string | null)[],
): Promise<boolean> {
  const set = columns.map(
    ({ column }, index) => sql`${sql.identifier(column.name)} = ${values[index]}`,
  );
  const same = [
    ...key.map((column, index) => sql`${column} = ${row[keyName(index)]}`),
    ...columns.map(
      ({ column }, index) => sql`${column} is not distinct from ${row[valueName(index)]}`,
    ),
  ];
  try {
    const { rowCount } = await db.execute(
      sql`update ${table} set ${list(set)} where ${sql.join(same, sql` and `)}`,
    );
    return rowCount === 1;
  } catch (error) {
    if (sqlStateOf(error) === LOCK_TIMEOUT) return false;
    throw error;
  }
}

const LOCK_TIMEOUT = "55P03";
