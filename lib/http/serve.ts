import { randomUUID } from "node:crypto";
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from "node:http";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { getRequestListener, RequestError } from "@hono/node-server";
import { env } from "@/lib/env";
import { addressKey } from "@/lib/kernel/ip";
import { malformed, notFound, Problem } from "@/lib/kernel/problem";
import { type Note, traced } from "@/lib/kernel/trace";
import { takesGzip } from "./accept-encoding";
import { noteAccess } from "./access-log";
import { clientAddress, isTrustedProxy } from "./client-address";
import { watchConnections } from "./connections";
import { isDraining } from "./drain";
import { allowed, handlerOf, type Match, matcher, type RouteEntry } from "./match";
import { problemBody, problemOf } from "./problems";
import { fail, jsonHeaders, plainHeaders, securityHeaders } from "./respond";
import type { RouteContext } from "./route-handler";
import { pagePlaces } from "./page-places";
import { countRequest, type OtherRoute } from "./request-metrics";
import { pathOf, resemblesRoute } from "./target";
import { answerUnparsed, unreadable } from "./unparsed";
import { failPlugin, isPluginPath } from "./v1/problems";

const compress = promisify(gzip);
const compressible = /^(text\/|application\/(json|javascript|xml)|image\/svg)/;
const MIN_COMPRESSED_BYTES = 1_400;

/** Handles requests that match none of our route files: the dashboard. */
export type Fallback = (request: IncomingMessage, response: ServerResponse) => void;

const limits = {
  keepAliveTimeout: 65_000,
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  /** How often the two above are checked. */
  connectionsCheckingInterval: 1_000,
  maxHeaderSize: 16_384,
};

const STALLED_RESPONSE_MS = 30_000;

/**
 * The HTTP server: route files are called straight from node:http, all else goes to `fallback`. Owes what a framework would give:
 * HEAD, OPTIONS, 405 with Allow, gzip, time limits, and an end of the connection where a body was left unread. Once it is closed,
 * each answer that is still owed ends its connection, so that no client sends a next request into it.
 */
export function makeServer(
  routes: readonly RouteEntry[],
  fallback: Fallback,
  own: Partial<typeof limits & { perAddress: number; stalledResponseMs: number }> = {},
): Server {
  const match = matcher(routes);
  const ending = () => isDraining() || !server.listening;
  const listener = getRequestListener(
    async (request, { incoming }) => {
      const began = performance.now();
      const found = (incoming as Incoming).kutipMatch as Match;
      const context: RouteContext = {
        params: found.params,
        served: true,
        clientAddress: addressOf(incoming as IncomingMessage),
        rawHeaders: (incoming as IncomingMessage).rawHeaders,
      };
      const response = await tracedRequest(incoming as Incoming, found.route, async (note) => {
        const made = await dispatch(request, found, context);
        const requestId = made.headers.get("x-request-id");
        note(
          {
            "http.response.status_code": made.status,
            ...(requestId === null ? {} : { "kutip.request_id": requestId }),
          },
          made.status >= 500,
        );
        return finish(request, incoming as IncomingMessage, made);
      });
      if (ending()) response.headers.set("connection", "close");
      if (found.api)
        noteAccess(
          request.method,
          incoming.url ?? "",
          response,
          performance.now() - began,
          context.caller,
          context.clientAddress,
        );
      countRequest(found.route, request.method, response.status, began);
      return response;
    },
    {
      // For checks by HTTP/1.0, which names no host.
      hostname: "localhost",
      overrideGlobalObjects: true,
      autoCleanupIncoming: true,
      errorHandler: badRequest,
    },
  ) as RequestListener;
  const always = securityHeaders();
  const renderPage = pagePlaces(tracedPage(fallback));
  // Node would refuse a missing Host with an empty body: `namesItsHost` does.
  const settings = { ...limits, ...own, shouldUpgradeCallback, requireHostHeader: false };
  const server = createServer(settings, (request, response) => {
    noteResponse(response);
    for (const name in always) response.setHeader(name, always[name] as string);
    // Node drops what follows such a request in the same packet.
    if (request.headers.upgrade !== undefined) response.shouldKeepAlive = false;
    const path = pathOf(request.url);
    if (path === undefined || !namesItsHost(request)) {
      countWhenClosed("none", request, response);
      return refuse(response, unreadable());
    }
    const found = match(path);
    if (found) {
      (request as Incoming).kutipMatch = found;
      return listener(request, response);
    }
    if (ending()) response.shouldKeepAlive = false;
    const refusal = refusalOf(request, path, match);
    const isStatic = path.startsWith(STATIC_PREFIX);
    countWhenClosed(refusal ? "none" : isStatic ? "static" : "page", request, response);
    if (refusal) return refuse(response, refusal);
    response.setHeader("x-content-type-options", "nosniff");
    for (const name in request.headers)
      if (frameworkHeader.test(name)) delete request.headers[name];
    if (isStatic) return fallback(request, response);
    renderPage(addressKey(addressOf(request)), request, response).catch((error: unknown) => {
      if (!response.headersSent) refuse(response, problemOf(error, "unknown"));
    });
  });
  const noteResponse = answerUnparsed(server);
  server.on("checkExpectation", (request, response) => {
    noteResponse(response);
    for (const name in always) response.setHeader(name, always[name] as string);
    countWhenClosed("none", request, response);
    refuse(response, new Problem(417, "malformed_request", "Expect takes 100-continue alone."));
  });
  server.maxConnections = 10_000;
  const check = watchConnections(server, {
    perAddress: own.perAddress ?? env.CONNECTIONS_PER_ADDRESS,
    stalledResponseMs: own.stalledResponseMs ?? STALLED_RESPONSE_MS,
  });
  const checking = setInterval(
    () => check(performance.now()),
    own.connectionsCheckingInterval ?? limits.connectionsCheckingInterval,
  ).unref();
  server.on("close", () => clearInterval(checking));
  return server;
}

function countWhenClosed(
  route: OtherRoute,
  { method }: IncomingMessage,
  response: ServerResponse,
): void {
  const began = performance.now();
  response.once("close", () => countRequest(route, method, response.statusCode, began));
}

type Incoming = IncomingMessage & { kutipMatch?: Match };

/** The span of a request. It continues the trace of a proxy that is trusted; anyone else's would mix into traces that are not theirs. */
const tracedRequest = <T>(
  { method = "", headers, socket }: IncomingMessage,
  route: string,
  work: (note: Note) => Promise<T>,
): Promise<T> =>
  traced(
    {
      name: `${method} ${route}`,
      kind: "server",
      attributes: { "http.request.method": method, "http.route": route },
    },
    work,
    isTrustedProxy(socket.remoteAddress) ? headers.traceparent?.toString() : null,
  );

const tracedPage =
  (fallback: Fallback): Fallback =>
  (request, response) =>
    void tracedRequest(
      request,
      "page",
      (note) =>
        new Promise<void>((resolve) => {
          response.once("close", () => {
            note({ "http.response.status_code": response.statusCode });
            resolve();
          });
          fallback(request, response);
        }),
    );

/** One Host; HTTP/1.0 needs none. Two proxies could each believe another one of two. */
function namesItsHost({ rawHeaders, httpVersion }: IncomingMessage): boolean {
  let hosts = 0;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] as string;
    if (name.length === 4 && name.toLowerCase() === "host") hosts++;
  }
  return hosts === 1 || (hosts === 0 && httpVersion !== "1.1");
}

/** Answered here: a framework might read the request otherwise, or send the client to a host that the request names. */
function refuse(response: ServerResponse, problem: Problem): void {
  response
    .writeHead(problem.status, {
      ...jsonHeaders,
      ...problem.options.headers,
      "x-request-id": randomUUID(),
      connection: "close",
    })
    .end(problemBody(problem));
}

// Headers that Next.js uses between its own processes.
const frameworkHeader = /^(?:x-(?:middleware|invoke|now|matched|nextjs|next|vercel)-|next-resume)/;

const STATIC_PREFIX = "/_next/static/";

/** Longer than the path of any page. Next.js tries a path against expressions of its own. */
const MAX_PAGE_PATH_LENGTH = 2_048;

/** Why a request that is none of our routes does not go to the dashboard either. */
function refusalOf(
  { method, headers }: IncomingMessage,
  path: string,
  match: (path: string) => Match | undefined,
): Problem | undefined {
  if (path.length > MAX_PAGE_PATH_LENGTH || resemblesRoute(path, match)) return notFound();
  // Browsers ask for no upgrade of a page, and a flood of them would render a page each.
  if (headers.upgrade !== undefined) return malformed("Pages are not served to upgrade requests.");
  if (path.startsWith("/_next/") && !path.startsWith(STATIC_PREFIX)) return notFound();
  return method === "GET" || method === "HEAD" ? undefined : wrongMethod(["GET", "HEAD"]);
}

const wrongMethod = (methods: readonly string[]) =>
  new Problem(405, "method_not_allowed", "This address does not take that method.", {
    headers: { allow: methods.join(", ") },
  });

/** `Upgrade` is ignored, as HTTP allows: an upgraded socket would be outside every time limit. */
const shouldUpgradeCallback = () => false;

/** The response to what cannot be made into a Request. A RequestError is the caller's, such as a malformed Host; any other error is a fault here. */
function badRequest(error: unknown): Response {
  const requestId = randomUUID();
  return fail(error instanceof RequestError ? unreadable() : problemOf(error, requestId), {
    "x-request-id": requestId,
    connection: "close",
  });
}

const addressOf = (incoming: IncomingMessage) =>
  clientAddress(incoming.socket.remoteAddress, incoming.headers["x-forwarded-for"]?.toString());

async function dispatch(
  request: Request,
  { module, route }: Match,
  context: RouteContext,
): Promise<Response> {
  const method = request.method;
  if (method === "OPTIONS")
    return new Response(null, {
      status: 204,
      headers: { allow: allowed(module).join(", "), ...plainHeaders },
    });
  const handler = handlerOf(module, method);
  if (!handler) {
    const problem = wrongMethod(allowed(module));
    return isPluginPath(route) ? failPlugin(problem, "address", {}) : fail(problem, {});
  }
  try {
    return await handler(request, context);
  } catch (error) {
    return fail(problemOf(error, "unknown"), {});
  }
}

/** Compresses what is worth it, and closes the connection where an unread body may still be coming. */
async function finish(
  request: Request,
  incoming: IncomingMessage,
  response: Response,
): Promise<Response> {
  if (!incoming.complete && leavesBody(request.method, incoming, response.status)) {
    response.headers.set("connection", "close");
    linger(incoming);
  }
  const type = response.headers.get("content-type");
  if (
    !type ||
    !compressible.test(type) ||
    response.headers.has("content-encoding") ||
    response.headers.get("cache-control")?.includes("no-transform")
  )
    return response;
  if (!takesGzip(incoming.headers["accept-encoding"]?.toString())) return response;
  const body = new Uint8Array(await response.arrayBuffer());
  const headers = new Headers(response.headers);
  headers.append("vary", "accept-encoding");
  if (body.byteLength < MIN_COMPRESSED_BYTES)
    return new Response(body, { status: response.status, headers });
  headers.set("content-encoding", "gzip");
  return new Response(new Uint8Array(await compress(body, { level: 1 })), {
    status: response.status,
    headers,
  });
}

const LINGER_MS = 500;

/** Ending a connection on which bytes still come would reset it, and the client lose the answer: they are read for a moment first. */
function linger(incoming: IncomingMessage): void {
  const { socket } = incoming;
  socket.destroySoon = () => {
    socket.end();
    incoming.resume();
    setTimeout(() => socket.destroy(), LINGER_MS).unref();
  };
}

const SMALL_BODY_BYTES = 64 * 1024;

/** A small body of a refused request comes soon and is passed over; a stale length or an endless one would keep the next request waiting. */
function leavesBody(method: string, { headers }: IncomingMessage, status: number): boolean {
  const chunked = headers["transfer-encoding"] !== undefined;
  const length = Number(headers["content-length"] ?? 0);
  if (method === "GET" || method === "DELETE" || method === "HEAD") return chunked || length > 0;
  return status >= 400 && (chunked || length > SMALL_BODY_BYTES);
}
