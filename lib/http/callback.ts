import { randomUUID } from "node:crypto";
import { receive } from "@/lib/flows/callback/steps";
import { addressKey } from "@/lib/kernel/ip";
import { take, tooManyRequests } from "@/lib/domain/limits/limits";
import { log } from "@/lib/kernel/log";
import type { Problem } from "@/lib/kernel/problem";
import { readBytes } from "./body";
import { frontDoor } from "./front-door";
import { problemOf } from "./problems";
import { fail, plainHeaders } from "./respond";

/** A signature is over all of a body, and what a business wrote beside a payment comes with it. */
const maxBytes = 256 * 1024;

/**
 * Callbacks of gateways: stored, then 200, then worked. A repeat is a 200 without effect. Only callbacks that are refused count against
 * their address: a gateway sends all of a busy day from a few addresses.
 */
export const receiveCallback = frontDoor(async (request, context) => {
  const requestId = randomUUID();
  const headers = { "x-request-id": requestId };
  try {
    const { gateway, connection_id } = ((await context.params) ?? {}) as {
      gateway?: string;
      connection_id?: string;
    };
    const raw = await readBytes(request, maxBytes);
    const { reply, work } = await receive(
      String(gateway),
      String(connection_id),
      raw,
      request.headers,
      requestId,
    );
    // What fails here is planned for another try already.
    work().catch((error: unknown) =>
      log.error({ request_id: requestId, err: error }, "a callback's work failed"),
    );
    return new Response(reply === "" ? null : reply, {
      status: 200,
      headers: {
        ...headers,
        ...plainHeaders,
        ...(reply === "" ? {} : { "content-type": "text/plain; charset=utf-8" }),
      },
    });
  } catch (error) {
    return fail(await countedRefusal(problemOf(error, requestId), context.clientAddress), headers);
  }
});

/** The refusal of a callback, or the 429 once its address had too many. */
async function countedRefusal(problem: Problem, address: string | undefined): Promise<Problem> {
  if (problem.status >= 500) return problem;
  const allowance = await take("anonymous", addressKey(address));
  return allowance.allowed ? problem : tooManyRequests(allowance);
}
