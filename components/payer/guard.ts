import { randomUUID } from "node:crypto";
import { Problem } from "@/lib/kernel/problem";
import { problemOf } from "@/lib/http/problems";
import type { RouteContext } from "@/lib/http/define-route";
import { payerPage } from "./answer";

type PayerHandler = (
  request: Request,
  requestId: string,
  context: RouteContext,
) => Promise<Response>;

/** A payer's door: whatever fails inside becomes a page in the same design, never a bare error. */
export function payerRoute(handler: PayerHandler) {
  return async (request: Request, context: RouteContext): Promise<Response> => {
    const requestId = randomUUID();
    try {
      return await handler(request, requestId, context);
    } catch (error) {
      const problem = error instanceof Problem ? error : problemOf(error, requestId);
      const { pathname, search } = new URL(request.url);
      const view =
        problem.status === 404
          ? ({ view: "unknown" } as const)
          : ({ view: "unavailable", reloadUrl: pathname + search } as const);
      const response = await payerPage(request, view, problem.status);
      for (const [name, value] of Object.entries(problem.options.headers ?? {}))
        response.headers.set(name, value);
      response.headers.set("x-request-id", requestId);
      return response;
    }
  };
}
