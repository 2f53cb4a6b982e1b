import { createHash } from "node:crypto";
import { sql, type SQL } from "drizzle-orm";
import type { AnyPgColumn } from "drizzle-orm/pg-core";
import { db } from "@/db/client";
import { isSpread } from "@/db/distributed";
import {
  blank,
  type Due,
  isDue,
  isFree,
  keyColumns,
  list,
  named,
  type Tenant,
  tuple,
} from "./claim-rows";
import { unscopedLookOnShards } from "./shard-rows";

/** How many tenants one poll looks through; the next poll goes on from there. */
const TENANTS_PER_POLL = 1_000;

const withinOnly = ({ fairBy: [first], where }: Due, only: number | string | undefined) =>
  only === undefined ? where : sql`${where} and ${blank(first as AnyPgColumn)} = ${only}`;

const behind = (fairBy: readonly AnyPgColumn[], after: Tenant | undefined): SQL =>
  after
    ? sql` and ${tuple(fairBy.map(blank))} > ${tuple(after.map((value, at) => sql`${value}::${sql.raw(fairBy[at]?.getSQLType() ?? "text")}`))}`
    : sql.raw("");

/** The tenants that have rows which are or will be due, in their order, `after` one of them. */
export function walk(
  due: Due,
  after: Tenant | undefined,
  only: number | string | undefined,
  steps: number | SQL,
): SQL {
  const { table, fairBy } = due;
  const keys = fairBy.map(blank);
  const within = withinOnly(due, only);
  const columns = keyColumns(fairBy);
  return sql`walk as (
    (select ${columns}, 1 as step from ${table} where ${within}${behind(fairBy, after)} order by ${list(keys)} limit 1)
    union all
    select next.*, walk.step + 1 from walk, lateral (
      select ${columns} from ${table} where ${within} and ${tuple(keys)} > ${tuple(named("k", fairBy, "walk."))}
      order by ${list(keys)} limit 1) next
    where walk.step < ${steps})`;
}

/** Tenants with work that is due and free, from `after` on, and where the walk through them ended: undefined at the end of all. */
export async function unscopedDueTenants(
  due: Due,
  after: Tenant | undefined,
  only?: number | string,
): Promise<{ tenants: Tenant[]; walkedTo: Tenant | undefined }> {
  const { table, fairBy } = due;
  if (await isSpread(table)) {
    const tenants = await unscopedLookOnShards({ due, only });
    const next = tenants.filter((one) => after === undefined || isBehind(one, after));
    const some = next.slice(0, TENANTS_PER_POLL);
    return { tenants: some, walkedTo: next.length > some.length ? some.at(-1) : undefined };
  }
  const names = named("k", fairBy);
  const { rows } = await db.execute<Record<string, string | number | boolean>>(sql`
    with recursive ${walk(due, after, only, TENANTS_PER_POLL)}
    select ${list(names)}, exists (
      select from ${table} where ${tuple(fairBy.map(blank))} = ${tuple(named("k", fairBy, "walk."))} and ${isDue(due)} and ${isFree(table)}) as due
    from walk order by ${list(names)}`);
  const walked = rows.map((row) => fairBy.map((_, at) => row[`k${at}`] as string | number));
  return {
    tenants: walked.filter((_, at) => rows[at]?.due === true),
    walkedTo: rows.length < TENANTS_PER_POLL ? undefined : walked.at(-1),
  };
}

const isBehind = (one: Tenant, other: Tenant): boolean => {
  const at = one.findIndex((value, index) => value !== other[index]);
  return at >= 0 && (one[at] as number | string) > (other[at] as number | string);
};

type Question = () => Promise<boolean[]>;
let asked: { dues: readonly Due[]; anyWaits: Question; haveWork: Question[] } | undefined;

/** Which of these have rows that are due and free. Postgres plans each statement once for a connection. */
export async function unscopedHaveWork(dues: readonly Due[]): Promise<boolean[]> {
  const spread = await Promise.all(dues.map(({ table }) => isSpread(table)));
  const onShards = dues.map((due, at) => (spread[at] ? unscopedLookOnShards({ due }) : undefined));
  const here = await haveWorkHere(dues.filter((_, at) => !spread[at]));
  const found = await Promise.all(onShards);
  return found.map((tenants) => (tenants ? tenants.length > 0 : here.shift() === true));
}

/**
 * One statement about all of them would open 165 scans, which takes Postgres ten times as long as to run them. So one asks where any row
 * waits, and others about those alone.
 */
async function haveWorkHere(dues: readonly Due[]): Promise<boolean[]> {
  if (asked?.dues.length !== dues.length || dues.some((due, at) => due !== asked?.dues[at]))
    asked = {
      dues,
      anyWaits: question(
        dues.map(({ table, where }) => sql`exists (select from ${table} where ${where})`),
      ),
      haveWork: dues.map((due) => question([hasWork(due)])),
    };
  const { anyWaits, haveWork } = asked;
  const found = await anyWaits();
  for (const [at, ask] of haveWork.entries()) if (found[at]) found[at] = (await ask())[0] === true;
  return found;
}

function question(parts: readonly SQL[]): Question {
  const statement = db
    .select({ found: sql<boolean[]>`array[${list(parts)}]` })
    .from(sql`(select) as one`);
  // The name says which kinds of work: one name may not have two texts in a connection.
  const name = createHash("sha256").update(statement.toSQL().sql).digest("hex").slice(0, 16);
  const prepared = statement.prepare(`work_${name}`);
  return async () => (await prepared.execute())[0]?.found ?? [];
}

const hasWork = (due: Due): SQL => {
  const { table, fairBy } = due;
  return sql`exists (with recursive ${walk(due, undefined, undefined, sql.raw("1000000"))} select from walk where exists (
    select from ${table} where ${tuple(fairBy.map(blank))} = ${tuple(named("k", fairBy, "walk."))} and ${isDue(due)} and ${isFree(table)}))`;
};
