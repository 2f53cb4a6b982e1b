import { setsOneOf } from "@/db/filters";
import type { Role } from "@/lib/contract/values";
import type { Page } from "@/lib/contract/envelope";
import { findEndpoint } from "@/lib/contract/find-endpoint";
import type {
  LoggedRequest,
  LoggedRequestDetail,
  RequestLogQuery,
} from "@/lib/contract/request-log";
import { notFound } from "@/lib/kernel/problem";
import type { Ctx } from "../context";
import { listPage } from "../lists";
import { countRequests, findRequest, type LoggedRow, listRequests } from "./rows";

/** A role that may make a call, and gets all of its answer, may see its contents. Undeclared calls are for owners and admins. */
function mayRead(role: Role, { method, path }: LoggedRow): boolean {
  const endpoint = findEndpoint(method, path);
  if (role === "viewer" && endpoint?.hidesFromViewers) return false;
  return (endpoint?.roles ?? ["owner", "admin"]).includes(role);
}

const present = (row: LoggedRow, readable: boolean): LoggedRequest => ({
  _id: row.id,
  method: row.method,
  path: row.path,
  query: readable ? row.query : null,
  restricted: !readable,
  status: row.status,
  duration_ms: row.duration,
  caller: row.keyId ? "key" : "person",
  api_key: row.keyId ? { _id: row.keyId, name: row.keyName } : null,
  person: row.userId ? { _id: row.userId, name: row.userName } : null,
  ip_address: row.ipAddress,
  user_agent: row.userAgent,
  idempotency_key: readable ? row.idempotencyKey : null,
  created_at: row.createdAt,
});

/** A call without headers and bodies, as a member of this role may see it. */
export const presentRequest = (row: LoggedRow, role: Role): LoggedRequest =>
  present(row, mayRead(role, row));

/** A page of the calls made for this business in this mode, as a member of this role may see them. */
export async function list(
  ctx: Ctx,
  role: Role,
  query: RequestLogQuery,
  search: URLSearchParams,
): Promise<Page<LoggedRequest>> {
  return listPage(ctx, {
    path: "/request-log",
    search,
    query: { ...query, status: undefined },
    readsAll: setsOneOf(query, "status", "method", "path", "caller"),
    present: (row: LoggedRow) => presentRequest(row, role),
    fetch: (walk) => listRequests(ctx, query, walk),
    count: () => countRequests(ctx, query),
  });
}

/** One call, with its headers and bodies where the role may make that call. Throws 404. */
export async function get(ctx: Ctx, role: Role, id: string): Promise<LoggedRequestDetail> {
  const row = await findRequest(ctx, id);
  if (!row) throw notFound();
  const readable = mayRead(role, row);
  return {
    ...present(row, readable),
    request_headers: readable ? (JSON.parse(row.requestHeaders) as Record<string, string>) : {},
    request_body: readable ? row.requestBody : null,
    response_body: readable ? row.responseBody : null,
  };
}
