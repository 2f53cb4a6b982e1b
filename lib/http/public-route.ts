import { randomUUID } from "node:crypto";
import { addressKey } from "@/lib/kernel/ip";
import { consume } from "@/lib/domain/limits/limits";
import { frontDoor } from "./front-door";
import { problemOf } from "./problems";
import { fail } from "./respond";
import type { RouteHandler } from "./route-handler";
import { tooManyPage } from "./too-many";

/** A route that is open to everybody and the same for everybody: limited per address, its answer with a request id. */
export function publicRoute(handler: () => Response | Promise<Response>): RouteHandler {
  return frontDoor(async (request, context) => {
    const requestId = randomUUID();
    try {
      await consume("payer_address", addressKey(context.clientAddress));
      const response = await handler();
      response.headers.set("x-request-id", requestId);
      return response;
    } catch (error) {
      const problem = problemOf(error, requestId);
      const response =
        problem.status === 429 && request.headers.get("accept")?.includes("text/html")
          ? tooManyPage(problem)
          : fail(problem, {});
      response.headers.set("x-request-id", requestId);
      return response;
    }
  });
}
