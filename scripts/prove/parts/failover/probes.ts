import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { sql } from "drizzle-orm";
import { db } from "@/db/client";
import { until } from "../patroni/cluster";
import type { Process } from "../processes";

const EVERY_MS = 250;
const PROBE_LIMIT_MS = 15_000;

export type Web = { name: string; url: string };

/**
 * Seconds from `since` until each web process acknowledged a link that it was asked for after that; Infinity where it did not within the limit.
 * A new probe starts every quarter of a second, so that one which hangs hides nothing. `links` gets what was acknowledged, titles by id.
 */
export async function writesBack(
  webs: readonly Web[],
  key: string,
  since: number,
  limitSeconds: number,
  links: Map<string, string>,
): Promise<number[]> {
  return Promise.all(
    webs.map(async ({ name, url }) => {
      let back = Number.POSITIVE_INFINITY;
      const under = new Set<Promise<void>>();
      const probe = async () => {
        const title = `Probe ${name} ${randomUUID().slice(0, 8)}`;
        const id = await createLink(url, key, title);
        if (!id) return;
        links.set(id, title);
        back = Math.min(back, (performance.now() - since) / 1_000);
      };
      while (back === Number.POSITIVE_INFINITY) {
        if (performance.now() - since > limitSeconds * 1_000) break;
        const one = probe().finally(() => under.delete(one));
        under.add(one);
        await pause(EVERY_MS);
      }
      await Promise.all(under);
      return back;
    }),
  );
}

/** The id of a link that was acknowledged; undefined for any other answer, or none. */
export async function createLink(
  url: string,
  key: string,
  title: string,
  limitMs = PROBE_LIMIT_MS,
): Promise<string | undefined> {
  try {
    const answer = await fetch(`${url}/api/payment-links`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({
        email: "ana@example.com",
        currency: "MYR",
        amount: 1_250,
        title,
        send_email: false,
      }),
      signal: AbortSignal.timeout(limitMs),
    });
    if (answer.status !== 200) return undefined;
    return ((await answer.json()) as { data: { _id: string } }).data._id;
  } catch {
    return undefined;
  }
}

/** Seconds from `since` until a worker process has written that it lives. Throws when it has ended, or after the limit. */
export async function workerBack(
  name: string,
  { pid }: Pick<Process, "pid">,
  since: number,
  limitSeconds: number,
): Promise<number> {
  await until(`sign of the ${name}`, limitSeconds, async () => {
    const id = pid();
    if (id === undefined) throw new Error(`the ${name} has ended`);
    const ago = (performance.now() - since) / 1_000;
    const rows = await db
      .execute<{ n: number }>(
        sql`select 1 as n from workers where pid = ${id} and seen_at > now() - make_interval(secs => ${ago})`,
      )
      .then((found) => found.rows)
      .catch(() => []);
    return rows[0];
  });
  return (performance.now() - since) / 1_000;
}
