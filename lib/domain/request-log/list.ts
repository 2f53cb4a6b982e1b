import type { Page } from "@/lib/contract/envelope";
import type {
  LoggedRequest,
  LoggedRequestDetail,
  RequestLogQuery,
} from "@/lib/contract/request-log";
import { notFound } from "@/lib/kernel/problem";
import type { Ctx } from "../context";
import { listPage } from "../lists";
import { countRequests, findRequest, type LoggedRow, listRequests } from "./rows";

const present = (row: LoggedRow): LoggedRequest => ({
  _id: row.id,
  method: row.method,
  path: row.path,
  query: row.query,
  status: row.status,
  duration_ms: row.duration,
  caller: row.keyId ? "key" : "person",
  api_key: row.keyId ? { _id: row.keyId, name: row.keyName } : null,
  person: row.userId ? { _id: row.userId, name: row.userName } : null,
  ip_address: row.ipAddress,
  user_agent: row.userAgent,
  idempotency_key: row.idempotencyKey,
  created_at: row.createdAt,
});

/** A page of the calls made for this business in this mode. */
export async function list(
  ctx: Ctx,
  query: RequestLogQuery,
  search: URLSearchParams,
): Promise<Page<LoggedRequest>> {
  return listPage(ctx, {
    path: "/request-log",
    search,
    query: { ...query, status: undefined },
    present,
    fetch: (walk) => listRequests(ctx, query, walk),
    count: () => countRequests(ctx, query),
  });
}

/** One call with its headers and bodies. Throws 404. */
export async function get(ctx: Ctx, id: string): Promise<LoggedRequestDetail> {
  const row = await findRequest(ctx, id);
  if (!row) throw notFound();
  return {
    ...present(row),
    request_headers: JSON.parse(row.requestHeaders) as Record<string, string>,
    request_body: row.requestBody,
    response_body: row.responseBody,
  };
}
