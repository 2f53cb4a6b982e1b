import { and, asc, desc, eq, gt, isNotNull, lt, sql } from "drizzle-orm";
import { db } from "@/db/client";
import { columnsOf, givenRows, jsonOf } from "@/db/columns";
import { createdFilters, filtered, type Filters, is, literal } from "@/db/filters";
import { owned } from "@/db/owned";
import type { Walk } from "@/db/page";
import { users } from "@/db/schema/auth";
import { apiKeys } from "@/db/schema/businesses";
import { integrations } from "@/db/schema/integrations";
import { requestLog as log } from "@/db/schema/request-log";
import type { RequestLogQuery } from "@/lib/contract/request-log";
import { env } from "@/lib/env";
import type { Ctx } from "../context";

export type NewLoggedRequest = typeof log.$inferInsert & {
  [K in
    | "query"
    | "keyId"
    | "userId"
    | "userAgent"
    | "idempotencyKey"
    | "requestBody"
    | "responseBody"]: string | null;
};

// A function that is volatile runs, though nothing reads what it returns.
const quiet = db
  .$with("quiet", { was: sql<string>`was` })
  .as(sql`select set_config('synchronous_commit', 'off', true) as was`);

const insert = db
  .with(quiet)
  .insert(log)
  .select(
    sql`select ${columnsOf(log)} from ${quiet}, ${givenRows(log, "rows")} where ${quiet}.was is not null`,
  )
  .prepare("request_log_insert");

/** For the batch writer: one statement with all rows as JSON. Calls do not wait for the disk, so a crash may lose the last moment of the log. */
export async function unscopedInsertRequests(rows: readonly NewLoggedRequest[]): Promise<void> {
  await insert.execute({ rows: jsonOf(log, rows) });
}

const shown = {
  id: log.id,
  method: log.method,
  path: log.path,
  query: log.query,
  status: log.status,
  duration: log.duration,
  keyId: log.keyId,
  userId: log.userId,
  ipAddress: log.ipAddress,
  userAgent: log.userAgent,
  idempotencyKey: log.idempotencyKey,
  createdAt: log.createdAt,
  keyName: sql<string | null>`coalesce(${apiKeys.name}, ${integrations.name})`,
  userName: users.name,
};
const withNames = {
  key: and(eq(apiKeys.businessId, log.businessId), eq(apiKeys.id, log.keyId)),
  integration: and(eq(integrations.businessId, log.businessId), eq(integrations.id, log.keyId)),
  user: sql`${users.id}::text = ${log.userId}`,
};

export type LoggedRow = Pick<
  typeof log.$inferSelect,
  | "id"
  | "method"
  | "path"
  | "query"
  | "status"
  | "duration"
  | "keyId"
  | "userId"
  | "ipAddress"
  | "userAgent"
  | "idempotencyKey"
  | "createdAt"
> & {
  keyName: string | null;
  userName: string | null;
};
export type LoggedDetailRow = LoggedRow &
  Pick<typeof log.$inferSelect, "requestHeaders" | "requestBody" | "responseBody">;

/** Ids that begin so, as a range of them. */
function beginning(text: string) {
  const digits = text.replaceAll("-", "");
  if (!/^[0-9a-f]{1,32}$/.test(digits)) return sql`false`;
  return sql`${log.id} between ${digits.padEnd(32, "0")}::uuid and ${digits.padEnd(32, "f")}::uuid`;
}

const filters: Filters<RequestLogQuery> = {
  method: is(log.method),
  status: (status) =>
    and(
      // The first condition lets the index of failures be used.
      status >= "4" ? sql`${log.status} >= 400` : undefined,
      status.endsWith("xx")
        ? sql`${log.status} between ${Number(status[0]) * 100} and ${Number(status[0]) * 100 + 99}`
        : eq(log.status, Number(status)),
    ),
  path: (path) => sql`${log.path} like ${`${literal(path)}%`}`,
  caller: (caller) => (caller === "key" ? isNotNull(log.keyId) : isNotNull(log.userId)),
  ...createdFilters(log.createdAt),
  q: (id) => (id === "" ? undefined : beginning(id.toLowerCase())),
};

const conditions = (ctx: Ctx, query: RequestLogQuery) =>
  owned(ctx, log, ...filtered(filters, query));

export async function listRequests(
  ctx: Ctx,
  query: RequestLogQuery,
  walk: Walk,
): Promise<LoggedRow[]> {
  // The id alone gives the order of time.
  const ascending = (walk.sort === "created_at") !== walk.back;
  const { position, limit, offset } = walk;
  const where = position && (ascending ? gt(log.id, position.id) : lt(log.id, position.id));
  return db
    .select(shown)
    .from(log)
    .leftJoin(apiKeys, withNames.key)
    .leftJoin(integrations, withNames.integration)
    .leftJoin(users, withNames.user)
    .where(and(conditions(ctx, query), where))
    .orderBy(ascending ? asc(log.id) : desc(log.id))
    .limit(limit)
    .offset(offset);
}

export async function countRequests(ctx: Ctx, query: RequestLogQuery): Promise<number> {
  return db.$count(log, conditions(ctx, query));
}

export async function findRequest(ctx: Ctx, id: string): Promise<LoggedDetailRow | undefined> {
  const [row] = await db
    .select({
      ...shown,
      requestHeaders: log.requestHeaders,
      requestBody: log.requestBody,
      responseBody: log.responseBody,
    })
    .from(log)
    .leftJoin(apiKeys, withNames.key)
    .leftJoin(integrations, withNames.integration)
    .leftJoin(users, withNames.user)
    .where(owned(ctx, log, eq(log.id, id)));
  return row;
}

const step = 10_000;

/** Removes calls older than REQUEST_LOG_DAYS, some at a time. Returns how many. */
export async function unscopedPurgeRequests(): Promise<number> {
  const end = sql`now() - make_interval(days => ${env.REQUEST_LOG_DAYS})`;
  // The bound on the id leaves out the partitions that hold younger rows only.
  const old = sql`${log.createdAt} < ${end} and ${log.id} < partition_bound('request_log', ${end})::uuid`;
  const { rowCount } = await db.execute(sql`
    delete from ${log} where (business_id, mode, id) in (select business_id, mode, id from ${log} where ${old} limit ${step})`);
  return rowCount ?? 0;
}
