import http from "node:http";
import https from "node:https";
import type Stripe from "stripe";

type HttpClient = NonNullable<NonNullable<ConstructorParameters<typeof Stripe>[1]>["httpClient"]>;

/** Milliseconds, and bytes of an answer. */
type Limits = { connectMs: number; totalMs: number; maxBytes: number };

/** How long one call to Stripe takes at most; the domain gives an answer, which may take two, a little more. */
export const longestCallMs = 30_000;

const usual: Limits = { connectMs: 5_000, totalMs: longestCallMs, maxBytes: 4 * 1024 * 1024 };

// The other end may already have closed a socket that idles longer.
const agents = {
  "http:": new http.Agent({ keepAlive: true, timeout: 4_000 }),
  "https:": new https.Agent({ keepAlive: true, timeout: 4_000 }),
};

type Answer = { status: number; headers: Record<string, string>; text: string };

/** How the SDK reaches Stripe: a limit on connecting and one on the whole call, the answer's body included, which the SDK's own client lacks. */
export function limitedHttp(limits: Partial<Limits> = {}): HttpClient {
  const { connectMs, totalMs, maxBytes } = { ...usual, ...limits };
  return {
    getClientName: () => "kutip",
    makeRequest: async (host, port, path, method, headers, body, protocol) => {
      const answer = await send(
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

type Request = {
  host: string;
  port: string;
  path: string;
  method: string;
  headers: http.OutgoingHttpHeaders;
  protocol: "http:" | "https:";
};

function send(request: Request, body: string, limits: Limits): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const { protocol, ...rest } = request;
    const made = (protocol === "http:" ? http : https).request({
      ...rest,
      protocol,
      agent: agents[protocol],
    });
    // Without a code: the SDK retries errors that have one, and only our caller decides about retries.
    const fail = (why: string) => {
      clearTimeout(whole);
      clearTimeout(connecting);
      made.destroy();
      reject(new Error(why));
    };
    const whole = setTimeout(
      () => fail(`Stripe did not answer within ${limits.totalMs / 1000} seconds.`),
      limits.totalMs,
    );
    let connecting: NodeJS.Timeout | undefined;
    made.on("socket", (socket) => {
      if (!socket.connecting) return;
      connecting = setTimeout(
        () => fail(`Stripe could not be reached within ${limits.connectMs / 1000} seconds.`),
        limits.connectMs,
      );
      socket.once(protocol === "http:" ? "connect" : "secureConnect", () =>
        clearTimeout(connecting),
      );
    });
    made.on("error", () => fail("The connection to Stripe broke before its answer came."));
    made.on("response", (response) => {
      const chunks: Buffer[] = [];
      let bytes = 0;
      response.on("data", (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > limits.maxBytes) fail("Stripe's answer is too large.");
        else chunks.push(chunk);
      });
      response.on("close", () => {
        if (!response.complete)
          return fail("The connection to Stripe broke before its answer came.");
        clearTimeout(whole);
        const headers = Object.fromEntries(
          Object.entries(response.headers).map(([name, value]): [string, string] => [
            name,
            String(value),
          ]),
        );
        resolve({
          status: response.statusCode ?? 0,
          headers,
          text: Buffer.concat(chunks).toString("utf8"),
        });
      });
    });
    made.end(body);
  });
}
