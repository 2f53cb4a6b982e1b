import { EXTEND_EVERY_MS, type Share } from "@/db/fair-share";
import { env } from "@/lib/env";
import { log } from "@/lib/kernel/log";
import { noteProgress } from "./progress";

const SLOTS = 16;
const PER_BUSINESS = 4;
// A piece that never ends keeps its lease no longer than this.
const LONGEST_MS = 600_000;

type Row = { businessId: number; id: string };
type Declaration<R extends Row> = {
  /** What one piece is called in the log. */
  piece: string;
  claim: (share: Share) => Promise<R[]>;
  /** Extends the lease of a piece under way. */
  extend: (row: R) => Promise<void>;
  /** Does one piece. What throws is left until its lease ends. */
  work: (row: R, requestId: string) => Promise<unknown>;
};

/** `poll` claims what is due and starts it; it returns how much it started, and waits for none of it. `drain` waits for all. */
export type FairWork = {
  poll: (requestId: string) => Promise<number>;
  drain: () => Promise<void>;
};

/** Works through due rows side by side, a few of each business at a time: a gateway that hangs delays only its own business. */
export function fairWork<R extends Row>({ piece, claim, extend, work }: Declaration<R>): FairWork {
  const running = new Set<Promise<void>>();
  const busy = new Map<number, number>();
  const count = (businessId: number, by: number) => {
    const left = (busy.get(businessId) ?? 0) + by;
    if (left > 0) busy.set(businessId, left);
    else busy.delete(businessId);
  };

  const start = (row: R, requestId: string) => {
    count(row.businessId, 1);
    const began = Date.now();
    const extending = setInterval(() => {
      if (Date.now() - began > LONGEST_MS) clearInterval(extending);
      else extend(row).catch(() => undefined);
    }, EXTEND_EVERY_MS).unref();
    const run = work(row, requestId)
      .then(() => noteProgress(piece))
      .catch((error: unknown) =>
        log.error({ request_id: requestId, [piece]: row.id, err: error }, `a ${piece} failed`),
      )
      .then(() => {
        clearInterval(extending);
        count(row.businessId, -1);
        running.delete(run);
      });
    running.add(run);
  };

  return {
    poll: async (requestId) => {
      const limit = SLOTS - running.size;
      const rows = limit > 0 ? await claim({ limit, perBusiness: PER_BUSINESS, busy }) : [];
      for (const row of rows) start(row, requestId);
      if (rows.length > 0 || running.size === 0) return rows.length;
      // The end of a piece makes room for the next one.
      let timer: NodeJS.Timeout | undefined;
      const later = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, env.WORKER_POLL_MS);
      });
      await Promise.race([later, ...running]);
      clearTimeout(timer);
      return 1;
    },
    drain: async () => {
      await Promise.all(running);
    },
  };
}
