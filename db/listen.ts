import type pg from "pg";
import { log } from "@/lib/kernel/log";
import { connectClient } from "./connection";

const againMs = 1_000;
const beatMs = 30_000;

type Heard = {
  /** What a NOTIFY carried. */
  notice: (payload: string) => void;
  /** Listening from now on; also after an interruption, in which notices may have been missed. */
  ready: () => void;
};

/**
 * Listens on a channel over one connection of its own, and connects again whenever that is lost. Answers how to stop.
 * Behind PgBouncer in transaction mode nothing is ever heard.
 */
export function listen(channel: string, heard: Heard): () => void {
  let client: pg.Client | undefined;
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;

  const lose = (lost: pg.Client) => {
    if (client !== lost) return;
    client = undefined;
    lost.end().catch(() => undefined);
    clearTimeout(timer);
    if (!stopped) timer = setTimeout(connect, againMs).unref();
  };

  // A connection whose other end is gone without a word is found out by asking.
  const beat = (open: pg.Client) => {
    timer = setTimeout(() => {
      if (client !== open) return;
      open.query("select 1").then(() => beat(open), () => lose(open));
    }, beatMs).unref();
  };

  const connect = () => {
    connectClient(undefined, { keepAlive: true, query_timeout: 10_000 }).then(
      async (made) => {
        client = made;
        made.on("error", () => lose(made));
        made.on("end", () => lose(made));
        made.on("notification", ({ payload }) => heard.notice(payload ?? ""));
        if (stopped) return void made.end().catch(() => undefined);
        try {
          await made.query(`listen ${made.escapeIdentifier(channel)}`);
          beat(made);
          heard.ready();
        } catch {
          lose(made);
        }
      },
      (error: unknown) => {
        log.warn({ err: error }, "live changes are not heard for the moment");
        if (!stopped) timer = setTimeout(connect, againMs).unref();
      },
    );
  };

  connect();
  return () => {
    stopped = true;
    clearTimeout(timer);
    const open = client;
    client = undefined;
    open?.end().catch(() => undefined);
  };
}
