import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from "node:http";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { getRequestListener } from "@hono/node-server";
import { Problem } from "@/lib/kernel/problem";
import { clientAddress } from "./client-address";
import { allowed, handlerOf, type Match, matcher, type RouteEntry } from "./match";
import { problemOf } from "./problems";
import { fail } from "./respond";

const compress = promisify(gzip);
const compressible = /^(text\/|application\/(json|javascript|xml)|image\/svg)/;
const worthCompressing = 1_400;

/** Whatever is not a route file of ours: the dashboard. */
export type Fallback = (request: IncomingMessage, response: ServerResponse) => void;

/**
 * The HTTP server: route files are called straight from node:http, all else goes to `fallback`. Owes what a framework would give:
 * HEAD, OPTIONS, 405 with Allow, gzip, time limits, and an end of the connection where a body was left unread.
 */
export function makeServer(routes: readonly RouteEntry[], fallback: Fallback): Server {
  const match = matcher(routes);
  const listener = getRequestListener(
    async (request, { incoming }) => {
      const found = (incoming as Incoming).kutipMatch as Match;
      return finish(request, incoming as IncomingMessage, await dispatch(request, incoming as IncomingMessage, found));
    },
    { overrideGlobalObjects: true, autoCleanupIncoming: true },
  ) as RequestListener;
  const server = createServer({ keepAliveTimeout: 65_000, headersTimeout: 10_000, requestTimeout: 30_000, maxHeaderSize: 16_384 }, (request, response) => {
    const path = pathOf(request.url);
    const found = path === undefined ? undefined : match(path);
    if (!found) return fallback(request, response);
    (request as Incoming).kutipMatch = found;
    listener(request, response);
  });
  server.maxConnections = 10_000;
  return server;
}

type Incoming = IncomingMessage & { kutipMatch?: Match };

/** The path without its query; undefined for a target that is no path (absolute form, `*`). */
function pathOf(target: string | undefined): string | undefined {
  if (!target?.startsWith("/")) return undefined;
  const end = target.indexOf("?");
  const path = end < 0 ? target : target.slice(0, end);
  return path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path;
}

async function dispatch(request: Request, incoming: IncomingMessage, { module, params }: Match): Promise<Response> {
  const method = request.method;
  if (method === "OPTIONS") return new Response(null, { status: 204, headers: { allow: allowed(module).join(", ") } });
  const handler = handlerOf(module, method);
  if (!handler) {
    return fail(new Problem(405, "method_not_allowed", "This address does not take that method.", { headers: { allow: allowed(module).join(", ") } }), {});
  }
  try {
    return await handler(request, { params, clientAddress: clientAddress(incoming.socket.remoteAddress, incoming.headers["x-forwarded-for"]?.toString()) });
  } catch (error) {
    return fail(problemOf(error, "unknown"), {});
  }
}

/** Compresses what is worth it, and closes the connection where a body that nobody will read may still be coming. */
async function finish(request: Request, incoming: IncomingMessage, response: Response): Promise<Response> {
  const unread = !incoming.complete && (request.method === "GET" || request.method === "DELETE" || request.method === "HEAD" || response.status >= 400);
  if (unread && hasBody(incoming)) response.headers.set("connection", "close");
  const type = response.headers.get("content-type");
  if (!type || !compressible.test(type) || response.headers.has("content-encoding") || type.startsWith("text/event-stream")) return response;
  if (!(incoming.headers["accept-encoding"] ?? "").includes("gzip")) return response;
  const body = new Uint8Array(await response.arrayBuffer());
  const headers = new Headers(response.headers);
  headers.append("vary", "accept-encoding");
  if (body.byteLength < worthCompressing) return new Response(body, { status: response.status, headers });
  headers.set("content-encoding", "gzip");
  return new Response(new Uint8Array(await compress(body, { level: 1 })), { status: response.status, headers });
}

function hasBody(incoming: IncomingMessage): boolean {
  return incoming.headers["transfer-encoding"] !== undefined || Number(incoming.headers["content-length"] ?? 0) > 0;
}
