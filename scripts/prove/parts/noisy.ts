import { setTimeout as pause } from "node:timers/promises";
import type { Shop } from "./shop";

const EVERY_MS = 50;
const NOISY_CALLERS = 8;
/** How long the noisy business waits when it was refused, whatever the answer asks it to wait. */
const AFTER_REFUSAL_MS = 100;
const BULK_ROWS = 500;

/** What the two businesses do, in words for a drill's report. */
export const NOISY_MIX = `quiet: a call every ${EVERY_MS} ms (create, get, list, pay page); noisy: ${NOISY_CALLERS} callers without a pause (bulk of ${BULK_ROWS}, export, search, lists)`;

export type QuietCall = { ms: number; status: number };

const link = (title: string) => ({
  email: "ana@example.com",
  currency: "MYR",
  amount: 1_250,
  title,
  send_email: false,
});

async function ask(url: string, path: string, { key }: Shop, body?: unknown): Promise<Response> {
  return fetch(`${url}/${path}`, {
    ...(body ? { method: "POST", body: JSON.stringify(body) } : {}),
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
  });
}

/** Calls at fixed moments, however long the answers take, for so many seconds; each with its time to the last byte. */
export async function watchQuiet(url: string, shop: Shop, seconds: number): Promise<QuietCall[]> {
  const made = await ask(url, "api/payment-links", shop, link("Two loaves"));
  const { data } = (await made.json()) as { data: { _id: string } };
  const turns: ((turn: number) => Promise<Response>)[] = [
    (turn) => ask(url, "api/payment-links", shop, link(`Loaf ${turn}`)),
    () => ask(url, `api/payment-links/${data._id}`, shop),
    () => ask(url, "api/payment-links?per_page=20", shop),
    () => ask(url, `pay?id=${data._id}&test=true`, shop),
  ];
  const calls: Promise<QuietCall>[] = [];
  const one = async (turn: number): Promise<QuietCall> => {
    const began = performance.now();
    const answer = await turns[turn % turns.length]?.(turn);
    await answer?.arrayBuffer();
    return { ms: performance.now() - began, status: answer?.status ?? 0 };
  };
  const began = performance.now();
  for (let turn = 0; turn * EVERY_MS < seconds * 1_000; turn++) {
    await pause(Math.max(0, began + turn * EVERY_MS - performance.now()));
    calls.push(one(turn));
  }
  return Promise.all(calls);
}

export type Noise = { stop: () => Promise<{ done: number; refused: number; other: number[] }> };

/** The noisy business calls as fast as it is answered, until it is stopped. */
export function startNoise(url: string, shop: Shop): Noise {
  const seen = { done: 0, refused: 0, other: [] as number[] };
  let isRunning = true;
  const rows = Array.from({ length: BULK_ROWS }, (_, n) => link(`Noise ${n}`));
  const turns = [
    () => ask(url, "api/payment-links/bulk", shop, { rows }),
    () => ask(url, "api/payment-links/export", shop),
    () => ask(url, "api/payment-links?q=order&per_page=100", shop),
    () => ask(url, "api/payment-links?per_page=100", shop),
    () => ask(url, "api/payments?per_page=100", shop),
  ];
  const caller = async (from: number) => {
    for (let turn = from; isRunning; turn++) {
      const answer = await turns[turn % turns.length]?.();
      await answer?.arrayBuffer();
      if (answer?.status === 200) seen.done++;
      else if (answer?.status === 429) {
        seen.refused++;
        await pause(AFTER_REFUSAL_MS);
      } else seen.other.push(answer?.status ?? 0);
    }
  };
  const callers = Array.from({ length: NOISY_CALLERS }, (_, n) => caller(n));
  return {
    stop: async () => {
      isRunning = false;
      await Promise.all(callers);
      return seen;
    },
  };
}
