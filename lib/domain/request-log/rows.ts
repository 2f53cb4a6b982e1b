import { and, eq, sql } from "drizzle-orm";
import { db } from "@/db/client";
import { owned } from "@/db/owned";
import { keyset, type Walk } from "@/db/page";
import { users } from "@/db/schema/auth";
import { apiKeys } from "@/db/schema/businesses";
import { requestLog as log } from "@/db/schema/request-log";
import { requestLogDays, type RequestLogQuery } from "@/lib/contract/request-log";
import type { Ctx } from "../context";

/** A row by its columns' own names, as the batch writer sends many of them at once. */
export type NewLoggedRequest = {
  business_id: number; mode: string; id: string; method: string; path: string; query: string | null; status: number; duration: number; key_id: string | null; user_id: string | null;
  ip_address: string; user_agent: string | null; idempotency_key: string | null; request_headers: string; request_body: string | null; response_body: string | null; created_at: string;
};

const columns = sql.raw(
  "business_id, mode, id, method, path, query, status, duration, key_id, user_id, ip_address, user_agent, idempotency_key, request_headers, request_body, response_body, created_at",
);

/** For the batch writer: one statement of one parameter. A crash may lose the last moment of the log, so nobody waits for the disk. */
export async function unscopedInsertRequests(rows: readonly NewLoggedRequest[]): Promise<void> {
  await db.execute(sql`
    with quiet as materialized (select set_config('synchronous_commit', 'off', true) as was)
    insert into ${log} (${columns})
    select r.business_id, r.mode, r.id, r.method, r.path, r.query, r.status, r.duration, r.key_id, r.user_id, r.ip_address, r.user_agent, r.idempotency_key, r.request_headers,
      r.request_body, r.response_body, r.created_at
    from quiet, json_to_recordset(${JSON.stringify(rows)}::json) as r (business_id integer, mode text, id text, method text, path text, query text, status smallint, duration real,
      key_id text, user_id text, ip_address text, user_agent text, idempotency_key text, request_headers text, request_body text, response_body text, created_at timestamptz)
    where quiet.was is not null`);
}

const shown = {
  id: log.id, method: log.method, path: log.path, query: log.query, status: log.status, duration: log.duration, keyId: log.keyId, userId: log.userId, ipAddress: log.ipAddress,
  userAgent: log.userAgent, idempotencyKey: log.idempotencyKey, createdAt: log.createdAt, keyName: apiKeys.name, userName: users.name,
};
const withNames = { key: and(eq(apiKeys.businessId, log.businessId), eq(apiKeys.id, log.keyId)), user: sql`${users.id}::text = ${log.userId}` };

export type LoggedRow = Pick<typeof log.$inferSelect, "id" | "method" | "path" | "query" | "status" | "duration" | "keyId" | "userId" | "ipAddress" | "userAgent" | "idempotencyKey" | "createdAt"> & {
  keyName: string | null;
  userName: string | null;
};
export type LoggedDetailRow = LoggedRow & Pick<typeof log.$inferSelect, "requestHeaders" | "requestBody" | "responseBody">;

function conditions(ctx: Ctx, query: RequestLogQuery) {
  const begins = (text: string) => `${text.replace(/[\\%_]/g, "\\$&")}%`;
  const { status } = query;
  return owned(
    ctx,
    log,
    query.method ? eq(log.method, query.method) : undefined,
    // The first condition lets the index of failures be used.
    status === undefined ? undefined : status >= "4" ? sql`${log.status} >= 400` : undefined,
    status === undefined ? undefined : status.endsWith("xx") ? sql`${log.status} between ${Number(status[0]) * 100} and ${Number(status[0]) * 100 + 99}` : eq(log.status, Number(status)),
    query.path ? sql`${log.path} like ${begins(query.path)}` : undefined,
    query.caller === undefined ? undefined : query.caller === "key" ? sql`${log.keyId} is not null` : sql`${log.userId} is not null`,
    query.created_from === undefined ? undefined : sql`${log.createdAt} >= ${query.created_from}::timestamptz`,
    query.created_to === undefined ? undefined : sql`${log.createdAt} <= ${query.created_to}::timestamptz`,
    query.q ? sql`${log.id} like ${begins(query.q.toLowerCase())}` : undefined,
  );
}

export async function listRequests(ctx: Ctx, query: RequestLogQuery, walk: Walk): Promise<LoggedRow[]> {
  const { where, orderBy, limit, offset } = keyset(log, walk);
  return db.select(shown).from(log).leftJoin(apiKeys, withNames.key).leftJoin(users, withNames.user).where(and(conditions(ctx, query), where)).orderBy(...orderBy).limit(limit).offset(offset);
}

export async function countRequests(ctx: Ctx, query: RequestLogQuery): Promise<number> {
  return db.$count(log, conditions(ctx, query));
}

export async function findRequest(ctx: Ctx, id: string): Promise<LoggedDetailRow | undefined> {
  const [row] = await db
    .select({ ...shown, requestHeaders: log.requestHeaders, requestBody: log.requestBody, responseBody: log.responseBody })
    .from(log)
    .leftJoin(apiKeys, withNames.key)
    .leftJoin(users, withNames.user)
    .where(owned(ctx, log, eq(log.id, id)));
  return row;
}

const step = 10_000;

/** Removes calls older than 30 days, some at a time; answers how many. */
export async function unscopedPurgeRequests(): Promise<number> {
  const { rowCount } = await db.execute(sql`
    delete from ${log} where ctid = any(array(select ctid from ${log} where ${log.createdAt} < now() - make_interval(days => ${requestLogDays}) limit ${step}))`);
  return rowCount ?? 0;
}
