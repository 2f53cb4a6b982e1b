import { randomUUID } from "node:crypto";
import { frontDoor } from "@/lib/http/front-door";
import { problemOf } from "@/lib/http/problems";
import type { RouteContext, RouteHandler } from "@/lib/http/route-handler";
import { tooManyPage } from "@/lib/http/too-many";
import { addressKey } from "@/lib/kernel/ip";
import { consume } from "@/lib/kernel/limits";
import type { Problem } from "@/lib/kernel/problem";
import { payerPage } from "./answer";

type PayerHandler = (
  request: Request,
  requestId: string,
  context: RouteContext,
) => Promise<Response>;

/** A payer's door, limited per address. Whatever fails inside becomes a page, never a bare error. */
export function payerRoute(handler: PayerHandler): RouteHandler {
  return frontDoor(async (request, context) => {
    const requestId = randomUUID();
    try {
      await consume("payer_address", addressKey(context.clientAddress));
      return await handler(request, requestId, context);
    } catch (error) {
      const problem = problemOf(error, requestId);
      const response = await failurePage(request, problem);
      for (const [name, value] of Object.entries(problem.options.headers ?? {}))
        response.headers.set(name, value);
      response.headers.set("x-request-id", requestId);
      return response;
    }
  });
}

/** Counts a request to the pages of one link, token or session, whatever address it comes from. Throws 429. */
export async function countVisit(id: string | null | undefined): Promise<void> {
  await consume("payer_link", id || undefined);
}

async function failurePage(request: Request, problem: Problem): Promise<Response> {
  if (problem.status === 429) return tooManyPage(problem);
  if (problem.status === 404) return payerPage(request, { view: "unknown" }, 404);
  const { pathname, search } = new URL(request.url);
  return payerPage(request, { view: "unavailable", reloadUrl: pathname + search }, problem.status);
}
