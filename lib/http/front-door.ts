import { AsyncLocalStorage } from "node:async_hooks";
import { channel } from "node:diagnostics_channel";
import type { IncomingMessage } from "node:http";
import { notFound } from "@/lib/kernel/problem";
import { noteAccess } from "./access-log";
import { clientAddress } from "./client-address";
import type { RouteHandler } from "./route-handler";
import { fail, securityHeaders } from "./respond";

// Next.js bundles route files, instrumentation and our server apart from each other: they meet in the process's own global.
const OWN_SERVER = Symbol.for("kutip.own-server");
const SOCKETS = Symbol.for("kutip.socket-addresses");
const shared = globalThis as {
  [OWN_SERVER]?: true;
  [SOCKETS]?: AsyncLocalStorage<string | undefined>;
};

/** Says that server.ts serves this process, so that route files take calls from its matcher alone. */
export function claimRoutes(): void {
  shared[OWN_SERVER] = true;
}

/** Whether server.ts serves this process; otherwise it is `next start` or `next dev`. */
export const hasOwnServer = (): boolean => shared[OWN_SERVER] === true;

/** Under plain Next.js: remembers the socket's address of each request, which Next.js shows to no route file. */
export function rememberSocketAddresses(): void {
  const addresses = (shared[SOCKETS] ??= new AsyncLocalStorage());
  channel("http.server.request.start").subscribe((message) => {
    const { request } = message as { request: IncomingMessage };
    addresses.enterWith(request.socket.remoteAddress);
  });
}

/**
 * Wraps every method that a route file exports. Our server calls it with `served`, after matching, and logs the answer itself.
 * Under plain Next.js the caller's address and the log line are added here. A call by Next.js inside our server has got past the
 * matcher, its limits and its log, and is a 404.
 */
export function frontDoor(handler: RouteHandler): RouteHandler {
  return async (request, context) => {
    if (context.served) return handler(request, context);
    if (hasOwnServer()) return fail(notFound(), {});
    const began = performance.now();
    const own = {
      ...context,
      clientAddress:
        context.clientAddress ??
        clientAddress(
          shared[SOCKETS]?.getStore(),
          request.headers.get("x-forwarded-for") ?? undefined,
        ),
    };
    const response = await handler(request, own);
    for (const [name, value] of Object.entries(securityHeaders()))
      response.headers.set(name, value);
    const { pathname, search } = new URL(request.url);
    if (/^\/api(\/|$)/.test(pathname))
      noteAccess(
        request.method,
        pathname + search,
        response,
        performance.now() - began,
        own.caller,
      );
    return response;
  };
}
