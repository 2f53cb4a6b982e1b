import { Agent, request } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import type { Install } from "./install";

const CALLERS = 4;
const LIMIT_MS = 60_000;
const WARM_UP_ROUNDS = 6;

/** What a batch took, in milliseconds: until all links were acknowledged, and until their webhooks were taken. */
export type Batch = { made: number; delivered: number };

/** What a batch is, in words for the drill's report. */
export const batchOf = (links: number): string =>
  `${links} links by ${CALLERS} callers, each with an event, a request in the log, a mail, a webhook and its attempt`;

/** Makes links through the API; their webhooks are awaited. Throws for an answer that is no success. */
export async function makeLinks(
  { url, shop, receiver }: Install,
  count: number,
  seen: (ms: number) => void = () => undefined,
): Promise<Batch> {
  const agent = new Agent({ keepAlive: true, maxSockets: CALLERS });
  const wanted = receiver.taken.size + count;
  const began = performance.now();
  let left = count;
  const caller = async () => {
    while (left-- > 0) {
      const sent = performance.now();
      await create(url, shop.key, agent);
      seen(performance.now() - sent);
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, caller));
  const made = performance.now() - began;
  while (receiver.taken.size < wanted) {
    if (performance.now() - began > LIMIT_MS) throw new Error("webhooks do not arrive");
    await pause(5);
  }
  agent.destroy();
  return { made, delivered: performance.now() - began };
}

function create(url: string, key: string, agent: Agent): Promise<void> {
  return new Promise((resolve, reject) => {
    const sent = request(`${url}/api/payment-links`, {
      method: "POST",
      agent,
      signal: AbortSignal.timeout(LIMIT_MS),
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    });
    sent.on("error", reject).on("response", (response) => {
      response.resume().on("end", () => {
        if (response.statusCode === 200) resolve();
        else reject(new Error(`a link is refused: ${response.statusCode}`));
      });
    });
    sent.end(
      JSON.stringify({
        email: "ana@example.com",
        currency: "MYR",
        amount: 1_250,
        title: "Satay for two",
        send_email: true,
      }),
    );
  });
}

/**
 * Batches at two installs, in turns, and how many times longer the second one takes. Compares the time that a tenth of the batches stays
 * below, since other programs of the machine slow the others.
 */
export async function compareInserts(
  [one, other]: readonly [Install, Install],
  rounds: number,
  links: number,
): Promise<{ text: string; made: number; delivered: number }> {
  for (let round = 0; round < WARM_UP_ROUNDS; round++)
    for (const install of [one, other]) await makeLinks(install, links);
  const batches: [Batch[], Batch[]] = [[], []];
  for (let round = 0; round < rounds; round++) {
    const inOrder = [
      [one, batches[0]],
      [other, batches[1]],
    ] as const;
    for (const [install, list] of round % 2 === 0 ? inOrder : [...inOrder].reverse())
      list.push(await makeLinks(install, links));
  }
  const fast = (list: readonly Batch[], of: keyof Batch) =>
    list.map((batch) => batch[of]).sort((a, b) => a - b)[Math.floor(list.length / 10)] ?? 0;
  const [a, b] = batches;
  const made = fast(b, "made") / fast(a, "made");
  const delivered = fast(b, "delivered") / fast(a, "delivered");
  const text = `${made.toFixed(2)}, ${delivered.toFixed(2)} (ms: ${fast(a, "made").toFixed(0)} and ${fast(b, "made").toFixed(0)}, ${fast(a, "delivered").toFixed(0)} and ${fast(b, "delivered").toFixed(0)})`;
  return { text, made, delivered };
}
