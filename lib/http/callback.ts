import { randomUUID } from "node:crypto";
import { receive } from "@/lib/domain/payments/callback";
import { log } from "@/lib/kernel/log";
import { readBytes } from "./body";
import type { RouteHandler } from "./define-route";
import { problemOf } from "./problems";
import { fail } from "./respond";

/** A signature is over all of a body, and what a business wrote beside a payment comes with it. */
const maxBytes = 256 * 1024;

/** Callbacks of gateways: stored, then 200, then worked. A repeat is a 200 without effect. */
export const receiveCallback: RouteHandler = async (request, context) => {
  const requestId = randomUUID();
  const headers = { "x-request-id": requestId };
  try {
    const { gateway, connection_id } = ((await context.params) ?? {}) as {
      gateway?: string;
      connection_id?: string;
    };
    const raw = await readBytes(request, maxBytes);
    const work = await receive(
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
    return new Response(null, {
      status: 200,
      headers: { ...headers, "cache-control": "no-store" },
    });
  } catch (error) {
    return fail(problemOf(error, requestId), headers);
  }
};
