import http from "node:http";
import https from "node:https";
import { traced } from "@/lib/kernel/trace";
import { sharedLookup } from "./shared-lookup";

/** Milliseconds, and bytes of an answer. */
export type Limits = { connectMs: number; totalMs: number; maxBytes: number };

/** How long one call to a gateway takes at most; the domain gives an answer, which may take two, a little more. */
export const longestCallMs = 30_000;

export const usualLimits: Limits = {
  connectMs: 5_000,
  totalMs: longestCallMs,
  maxBytes: 4 * 1024 * 1024,
};

// The other end may already have closed a socket that idles longer.
const agents = {
  "http:": new http.Agent({ keepAlive: true, timeout: 4_000 }),
  "https:": new https.Agent({ keepAlive: true, timeout: 4_000 }),
};

const lookup = sharedLookup();

export type Answer = { status: number; headers: Record<string, string>; text: string };

type OutgoingRequest = {
  host: string;
  port: string;
  path: string;
  method: string;
  headers: http.OutgoingHttpHeaders;
  protocol: "http:" | "https:";
};

/** One request to the gateway with this title, with a limit on connecting and one on the whole call, the answer's body included. */
export function send(
  title: string,
  request: OutgoingRequest,
  body: string,
  limits: Limits,
): Promise<Answer> {
  const attributes = { "http.request.method": request.method, "server.address": request.host };
  return traced(
    { name: `${request.method} ${title}`, kind: "client", attributes },
    async (note) => {
      const answer = await sendOnce(title, request, body, limits);
      note({ "http.response.status_code": answer.status });
      return answer;
    },
  );
}

function sendOnce(
  title: string,
  request: OutgoingRequest,
  body: string,
  limits: Limits,
): Promise<Answer> {
  const broken = `The connection to ${title} broke before its answer came.`;
  return new Promise((resolve, reject) => {
    const { protocol, ...rest } = request;
    const made = (protocol === "http:" ? http : https).request({
      ...rest,
      protocol,
      agent: agents[protocol],
      lookup,
    });
    // Without a code: Stripe's SDK retries errors that have one, and only our caller decides about retries.
    const fail = (why: string) => {
      clearTimeout(whole);
      clearTimeout(connecting);
      made.destroy();
      reject(new Error(why));
    };
    const whole = setTimeout(
      () => fail(`${title} did not answer within ${limits.totalMs / 1000} seconds.`),
      limits.totalMs,
    );
    let connecting: NodeJS.Timeout | undefined;
    made.on("socket", (socket) => {
      if (!socket.connecting) return;
      connecting = setTimeout(
        () => fail(`${title} could not be reached within ${limits.connectMs / 1000} seconds.`),
        limits.connectMs,
      );
      socket.once(protocol === "http:" ? "connect" : "secureConnect", () =>
        clearTimeout(connecting),
      );
    });
    made.on("error", () => fail(broken));
    made.on("response", (response) => {
      const chunks: Buffer[] = [];
      let bytes = 0;
      response.on("data", (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > limits.maxBytes) fail(`${title}'s answer is too large.`);
        else chunks.push(chunk);
      });
      response.on("close", () => {
        if (!response.complete) return fail(broken);
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
