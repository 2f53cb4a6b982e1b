import type { Endpoint } from "@/lib/contract/endpoint";
import { type NewLoggedRequest, unscopedInsertRequests } from "@/lib/domain/request-log/rows";
import type { Caller } from "./authenticate";
import { rowBatch } from "./batch";
import { maskAddress, maskBody, maskHeaders } from "@/lib/kernel/mask";

/** What is known of a call while it runs. Calls without a caller are not kept: no business could read them. */
export type Seen = {
  /** None at an unknown address. */
  endpoint?: Endpoint;
  request: Request;
  requestId: string;
  address: string;
  rawHeaders: readonly string[] | undefined;
  began: number;
  caller: Caller | undefined;
  body: string | null;
};

type Masked = "path" | "query" | "requestHeaders" | "requestBody" | "responseBody";
type Noted = {
  row: Omit<NewLoggedRequest, Masked>;
  headers: readonly string[];
  address: string;
  body: string | null;
  answer: string | null;
};

const log = rowBatch<Noted>(
  "requests in the log",
  (noted) => unscopedInsertRequests(noted.map(masked)),
  ({ body, answer }) => (body?.length ?? 0) + (answer?.length ?? 0),
);

// Looking at the log must not fill it.
const unnoted = new Set(["listRequestLog", "getLoggedRequest", "streamChanges"]);

// A whole spreadsheet of payers goes in and comes out: what was created from it is in the log of that call.
const unkept = new Set(["readSpreadsheet", "listSavedViews"]);

/** Whether the log leaves out bodies: it is the team's, and a member's own choices are not. */
const isWithoutBodies = ({ id, ownOnly }: Endpoint) => ownOnly === true || unkept.has(id);

/** Notes an answered call for the business's request log; it is masked and written a moment later. */
export function noteRequest(
  { endpoint, request, requestId, address, rawHeaders, began, caller, body }: Seen,
  status: number,
  answer: string | null,
): void {
  if (!caller || (endpoint && unnoted.has(endpoint.id))) return;
  const { ctx } = caller;
  const withoutBodies = endpoint !== undefined && isWithoutBodies(endpoint);
  const duration = performance.now() - began;
  log.note(request.method === "GET" && status === 200, () => ({
    address: request.url,
    body: withoutBodies ? null : body,
    answer: withoutBodies && status === 200 ? null : answer,
    headers: rawHeaders ?? [...request.headers].flat(),
    row: {
      businessId: ctx.businessId,
      mode: ctx.mode,
      id: requestId,
      method: request.method,
      status,
      duration: Math.round(duration * 10) / 10,
      keyId: caller.kind === "key" ? (ctx.actor.id ?? null) : null,
      userId: caller.kind === "staff" ? (ctx.actor.id ?? null) : null,
      ipAddress: address,
      userAgent: request.headers.get("user-agent")?.slice(0, 512) ?? null,
      idempotencyKey: request.headers.get("idempotency-key")?.slice(0, 255) ?? null,
      createdAt: new Date(Date.now() - duration).toISOString(),
    },
  }));
}

// The same client sends the same headers again and again; long ones are rare.
const MAX_HEADERS_LENGTH = 2_000;
const headersSeen = new Map<string, string>();

function headersOf(raw: readonly string[]): string {
  const text = raw.join("\n");
  if (text.length > MAX_HEADERS_LENGTH) return maskHeaders(raw);
  let json = headersSeen.get(text);
  if (json === undefined) {
    if (headersSeen.size >= 1_000) headersSeen.clear();
    headersSeen.set(text, (json = maskHeaders(raw)));
  }
  return json;
}

function masked({ row, headers, address, body, answer }: Noted): NewLoggedRequest {
  const start = address.indexOf("/api", address.indexOf("://") + 3) + "/api".length;
  const end = address.indexOf("?", start);
  return {
    ...row,
    path: maskAddress(end < 0 ? address.slice(start) : address.slice(start, end)) || "/",
    query: end < 0 ? null : maskAddress(address.slice(end + 1)),
    requestHeaders: headersOf(headers),
    requestBody: body === null ? null : maskBody(body),
    responseBody: answer === null ? null : maskBody(answer),
  };
}
