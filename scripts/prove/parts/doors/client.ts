import { readFileSync } from "node:fs";
import { request } from "node:http";

/** An answer as a client sees it; status 0 where none came in time or the connection broke. */
export type Answer = {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
  ms: number;
};

type Call = {
  method?: string;
  headers?: Record<string, string>;
  body?: string | Buffer;
  /** The loopback address that the call comes from: each counts as a client of its own. */
  from?: string;
  limitSeconds?: number;
};

/** Makes one call on a connection of its own. Never throws. */
export function call(origin: string, path: string, options: Call = {}): Promise<Answer> {
  const { method = "GET", headers = {}, body, from = "127.0.0.1", limitSeconds = 60 } = options;
  const { port } = new URL(origin);
  const began = performance.now();
  return new Promise((resolve) => {
    const end = (status: number, more: Partial<Answer> = {}) =>
      resolve({
        status,
        headers: {},
        body: Buffer.alloc(0),
        ms: performance.now() - began,
        ...more,
      });
    const sent = request({
      host: "127.0.0.1",
      port,
      path,
      method,
      headers: { host: `localhost:${port}`, ...headers },
      localAddress: from,
      agent: false,
      signal: AbortSignal.timeout(limitSeconds * 1_000),
    });
    sent.on("error", () => end(0));
    sent.on("response", (response) => {
      const parts: Buffer[] = [];
      response.on("data", (part: Buffer) => parts.push(part));
      response.on("error", () => end(0));
      response.on("end", () =>
        end(response.statusCode ?? 0, { headers: response.headers, body: Buffer.concat(parts) }),
      );
    });
    sent.end(body);
  });
}

const LISTEN = "0A";
const TIME_WAIT = "06";

/** How many sockets a listening port holds, whatever their state: from /proc, since a process cannot be asked. */
export function socketsOf(port: number): number {
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, "0")}`;
  return ["/proc/net/tcp", "/proc/net/tcp6"].reduce(
    (sum, file) =>
      sum +
      readFileSync(file, "utf8")
        .split("\n")
        .slice(1)
        .map((line) => line.trim().split(/\s+/))
        .filter(
          ([, local, , state]) =>
            local?.endsWith(suffix) && state !== LISTEN && state !== TIME_WAIT,
        ).length,
    0,
  );
}

/** The value below which `share` of the numbers lie. */
export function quantile(numbers: readonly number[], share: number): number {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0;
}
