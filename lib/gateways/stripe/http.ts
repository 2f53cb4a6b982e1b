import type http from "node:http";
import type Stripe from "stripe";
import { type Limits, send, usualLimits } from "../limited-http";

type HttpClient = NonNullable<NonNullable<ConstructorParameters<typeof Stripe>[1]>["httpClient"]>;

/** How the SDK reaches Stripe: a limit on connecting and one on the whole call, the answer's body included, which the SDK's own client lacks. */
export function limitedHttp(limits: Partial<Limits> = {}): HttpClient {
  const { connectMs, totalMs, maxBytes } = { ...usualLimits, ...limits };
  return {
    getClientName: () => "kutip",
    makeRequest: async (host, port, path, method, headers, body, protocol) => {
      const answer = await send(
        "Stripe",
        {
          host,
          port,
          path,
          method,
          headers: headers as http.OutgoingHttpHeaders,
          protocol: `${protocol}:` as "http:" | "https:",
        },
        body,
        { connectMs, totalMs, maxBytes },
      );
      return {
        getStatusCode: () => answer.status,
        getHeaders: () => answer.headers,
        getRawResponse: () => ({ statusCode: answer.status }),
        toStream: () => undefined,
        toJSON: async () => JSON.parse(answer.text) as unknown,
      };
    },
  };
}
