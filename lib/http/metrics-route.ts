import { randomUUID } from "node:crypto";
import { env } from "@/lib/env";
import { addressKey } from "@/lib/kernel/ip";
import { consume } from "@/lib/domain/limits/limits";
import { metrics } from "@/lib/kernel/metrics";
import { notFound } from "@/lib/kernel/problem";
import { isSameSecret } from "@/lib/kernel/secrets";
import { metricsText } from "./metrics-text";
import { problemOf } from "./problems";
import { fail, plainHeaders } from "./respond";
import type { RouteHandler } from "./route-handler";

/** The metrics, or 401 unless the Authorization header has the token, where one is set. */
export async function metricsResponse(
  authorization: string | undefined,
  token: string | undefined,
): Promise<Response> {
  const given = /^Bearer +(\S+)$/i.exec(authorization ?? "")?.[1] ?? "";
  if (token !== undefined && !isSameSecret(given, token))
    return new Response(null, {
      status: 401,
      headers: { ...plainHeaders, "www-authenticate": "Bearer" },
    });
  return new Response(await metricsText(), {
    headers: { ...plainHeaders, "content-type": metrics.contentType },
  });
}

/** GET /metrics on the web port: 404 without METRICS_TOKEN. Calls without the token are limited as failed authentication is. */
export const metricsRoute: RouteHandler = async (request, { clientAddress }) => {
  try {
    const token = env.METRICS_TOKEN;
    if (token === undefined) throw notFound();
    const given = request.headers.get("authorization") ?? undefined;
    const response = await metricsResponse(given, token);
    if (response.status === 401) await consume("anonymous", addressKey(clientAddress));
    return response;
  } catch (error) {
    return fail(problemOf(error, randomUUID()), {});
  }
};
