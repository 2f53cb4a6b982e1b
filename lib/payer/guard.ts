import { randomUUID } from "node:crypto";
import { frontDoor } from "@/lib/http/front-door";
import { problemOf } from "@/lib/http/problems";
import type { RouteHandler } from "@/lib/http/route-handler";
import { tooManyPage } from "@/lib/http/too-many";
import { addressKey } from "@/lib/kernel/ip";
import { notePayer } from "@/lib/domain/business-time";
import { consume } from "@/lib/domain/limits/limits";
import type { Problem } from "@/lib/kernel/problem";
import { payerPage, type Visit } from "./answer";
import type { Render } from "./view";

/** A route for payers, limited per address. A failure inside becomes a page, never a bare error. */
export function payerRoute(
  render: Render,
  handler: (visit: Visit) => Promise<Response>,
): RouteHandler {
  return frontDoor(async (request, context) => {
    const visit = { request, requestId: randomUUID(), context, render };
    const { requestId } = visit;
    try {
      await consume("payer_address", addressKey(context.clientAddress));
      notePayer();
      return await handler(visit);
    } catch (error) {
      const problem = problemOf(error, requestId);
      const response = await failurePage(visit, problem);
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

async function failurePage(visit: Visit, problem: Problem): Promise<Response> {
  if (problem.status === 429) return tooManyPage(problem);
  if (problem.status === 404) return payerPage(visit, { view: "unknown" }, 404);
  const { pathname, search } = new URL(visit.request.url);
  const reloadUrl = pathname + search;
  const { status } = problem;
  if (status >= 500) return payerPage(visit, { view: "unavailable", reloadUrl }, status);
  const reason =
    status === 403 ? "cross_site" : status === 413 || status === 415 ? "not_the_form" : "refused";
  return payerPage(visit, { view: "form_refused", reason, reloadUrl }, status);
}
