import { AsyncLocalStorage } from "node:async_hooks";
import type { IncomingMessage, ServerResponse } from "node:http";
import { env } from "@/lib/env";
import { providePageReads } from "@/lib/kernel/page-reads";
import { clientAddress } from "./client-address";
import { listenForChanges, positionOf } from "./live";
import { handlerOf, matcher, type RouteEntry } from "./match";
import type { Fallback } from "./serve";

type PageRequest = { request: IncomingMessage; response: ServerResponse; began: number };

/**
 * Lets the pages that `serve` renders read the API without HTTP. A read calls the route file as the matcher would, with the cookie of the
 * page's own request. So it passes the same authentication, limits, roles, validation and request log as a call by the browser.
 */
export function withPageReads(routes: readonly RouteEntry[], serve: Fallback): Fallback {
  const match = matcher(routes);
  const rendering = new AsyncLocalStorage<PageRequest>();
  providePageReads({
    read: async (address, headers) => {
      const page = rendering.getStore();
      const url = new URL(address, env.BASE_URL);
      const found = match(url.pathname);
      const handler = found?.api ? handlerOf(found.module, "GET") : undefined;
      if (!page || !found || !handler) throw new Error(`no page can read ${url.pathname}`);
      const { request, response } = page;
      const answer = await handler(
        new Request(url, {
          headers: {
            ...headers,
            accept: "application/json",
            cookie: request.headers.cookie ?? "",
            "user-agent": request.headers["user-agent"] ?? "",
          },
        }),
        {
          params: found.params,
          served: true,
          clientAddress: clientAddress(
            request.socket.remoteAddress,
            request.headers["x-forwarded-for"]?.toString(),
          ),
          rawHeaders: request.rawHeaders,
        },
      );
      // A session that the read has prolonged.
      if (!response.headersSent)
        for (const cookie of answer.headers.getSetCookie())
          response.appendHeader("set-cookie", cookie);
      return answer;
    },
    since: () => {
      const page = rendering.getStore();
      listenForChanges();
      return page && positionOf(page.began);
    },
    isDocument: () => rendering.getStore()?.request.headers.rsc === undefined,
  });
  return (request, response) =>
    rendering.run({ request, response, began: performance.now() }, () => serve(request, response));
}
