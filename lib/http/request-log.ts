import type { Endpoint } from "@/lib/contract/endpoint";
import { type NewLoggedRequest, unscopedInsertRequests } from "@/lib/domain/request-log/rows";
import type { Caller } from "./authenticate";
import { rowBatch } from "./batch";
import { maskAddress, maskBody, maskHeaders } from "./mask";

/** What is known of a call while it runs; without a caller nobody could read about it, and it is not kept. */
export type Seen = { endpoint: Endpoint; request: Request; requestId: string; address: string; began: number; caller: Caller | undefined; body: string | null };

type Noted = { row: Omit<NewLoggedRequest, "path" | "query" | "request_body" | "response_body">; address: string; body: string | null; answer: string | null };

const log = rowBatch<Noted>("requests in the log", 500, 20_000, (noted) => unscopedInsertRequests(noted.map(masked)));

// Looking at the log must not fill it.
const unnoted = new Set(["listRequestLog", "getLoggedRequest", "streamChanges"]);

/** Notes an answered call for the business's request log; it is masked and written a moment later. */
export function noteRequest({ endpoint, request, requestId, address, began, caller, body }: Seen, status: number, answer: string | null): void {
  if (!caller || unnoted.has(endpoint.id)) return;
  const { ctx } = caller;
  const duration = performance.now() - began;
  log.note({
    address: request.url, body, answer,
    row: {
      business_id: ctx.businessId, mode: ctx.mode, id: requestId, method: request.method, status, duration: Math.round(duration * 10) / 10,
      key_id: caller.kind === "key" ? (ctx.actor.id ?? null) : null, user_id: caller.kind === "staff" ? (ctx.actor.id ?? null) : null, ip_address: address,
      user_agent: request.headers.get("user-agent")?.slice(0, 512) ?? null, idempotency_key: request.headers.get("idempotency-key")?.slice(0, 255) ?? null,
      request_headers: maskHeaders(request.headers), created_at: new Date(Date.now() - duration).toISOString(),
    },
  });
}

function masked({ row, address, body, answer }: Noted): NewLoggedRequest {
  const start = address.indexOf("/api/", address.indexOf("://") + 3) + 4;
  const [path = "", ...query] = address.slice(start).split("?");
  return {
    ...row, path: maskAddress(path), query: query.length > 0 ? maskAddress(query.join("?")) : null,
    request_body: body === null ? null : maskBody(body), response_body: answer === null ? null : maskBody(answer),
  };
}
