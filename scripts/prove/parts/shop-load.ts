import { randomUUID } from "node:crypto";
import { Agent, request } from "node:http";
import { setTimeout as pause } from "node:timers/promises";

const BUSY = 6;
const IDLE = 4;
const BUSY_PAUSE_MS = 20;
const IDLE_PAUSE_MS = 3_000;
const LIMIT_MS = 40_000;

/** What callers saw until they were stopped. */
export type Seen = {
  requests: number;
  seconds: number;
  /** Answers that were no success, and calls without one: what was asked, and what came. */
  failed: string[];
  /** Links that were acknowledged. */
  links: string[];
  /** Requests that went out on a connection which had been used before. */
  reused: number;
};
export type ShopLoad = { seen: () => Seen; stop: () => Promise<Seen> };

/** What the callers do, in words for a drill's report. */
export const MIX = `${BUSY} callers without a pause, ${IDLE} that keep their connection idle for ${IDLE_PAUSE_MS / 1_000} s; create, get, list, pay page`;

/**
 * Calls an install until it is stopped: each caller makes a link, reads it, lists, and opens its pay page, over one connection that is kept
 * alive. Nothing is repeated.
 */
export function startShopLoad(url: string, key: string): ShopLoad {
  const seen: Seen = { requests: 0, seconds: 0, failed: [], links: [], reused: 0 };
  const began = performance.now();
  let isRunning = true;

  const caller = async (pauseMs: number) => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const send = (method: string, path: string, body?: unknown) =>
      new Promise<{ status: number; text: string }>((resolve, reject) => {
        const sent = request(`${url}${path}`, {
          method,
          agent,
          signal: AbortSignal.timeout(LIMIT_MS),
          headers: {
            authorization: `Bearer ${key}`,
            ...(body
              ? { "content-type": "application/json", "idempotency-key": randomUUID() }
              : {}),
          },
        });
        sent.on("error", reject).on("response", (response) => {
          if (sent.reusedSocket) seen.reused++;
          let text = "";
          response.setEncoding("utf8").on("data", (part: string) => (text += part));
          response.on("error", reject);
          response.on("end", () => resolve({ status: response.statusCode ?? 0, text }));
        });
        sent.end(body ? JSON.stringify(body) : undefined);
      });
    const call = async (method: string, path: string, body?: unknown) => {
      if (!isRunning) return undefined;
      seen.requests++;
      const answer = await send(method, path, body).catch((error: Error) => error);
      await pause(pauseMs);
      if (!(answer instanceof Error) && answer.status === 200) return answer.text;
      const came = answer instanceof Error ? answer.message : String(answer.status);
      seen.failed.push(`${method} ${path.replace(/[0-9a-f]{24}/, "…")}: ${came}`);
      return undefined;
    };
    while (isRunning) {
      const made = await call("POST", "/api/payment-links", {
        email: "ana@example.com",
        currency: "MYR",
        amount: 1_250,
        title: "Satay for two",
        send_email: false,
      });
      if (made === undefined) continue;
      const { data } = JSON.parse(made) as { data: { _id: string } };
      seen.links.push(data._id);
      await call("GET", `/api/payment-links/${data._id}`);
      await call("GET", "/api/payment-links?per_page=20");
      await call("GET", `/pay?id=${data._id}`);
    }
    agent.destroy();
  };

  const callers = [
    ...Array.from({ length: BUSY }, () => caller(BUSY_PAUSE_MS)),
    ...Array.from({ length: IDLE }, () => caller(IDLE_PAUSE_MS)),
  ];
  const look = () => ({ ...seen, seconds: (performance.now() - began) / 1_000 });
  return {
    seen: look,
    stop: async () => {
      isRunning = false;
      await Promise.all(callers);
      return look();
    },
  };
}
