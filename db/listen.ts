import postgres from "postgres";
import { log } from "@/lib/kernel/log";
import { pool } from "./client";
import { listenOptions } from "./connection";

const beatMs = 15_000;
const againMs = 1_000;
const beat = "beat";

type Heard = {
  /** What a NOTIFY carried. */
  notice: (payload: string) => void;
  /** Listening from now on; also after an interruption, in which notices may have been missed. */
  ready: () => void;
};

/**
 * Listens on a channel over a connection of postgres.js's own, which subscribes again by itself; a beat of ours that is not heard tells
 * when it did not, and a new connection is made. Answers how to stop. Behind PgBouncer in transaction mode nothing is ever heard.
 */
export function listen(channel: string, heard: Heard): () => void {
  let client: postgres.Sql | undefined;
  let alive = true;
  let again: NodeJS.Timeout | undefined;

  const hear = (payload: string) => {
    if (payload === beat) alive = true;
    else heard.notice(payload);
  };

  const connect = () => {
    const made = postgres({
      ...listenOptions(),
      max: 1,
      connect_timeout: 5,
      onnotice: () => undefined,
    });
    client = made;
    alive = true;
    made.listen(channel, hear, heard.ready).catch((error: unknown) => {
      log.warn({ err: error }, "live changes are not heard for the moment");
      if (client === made) drop(againMs);
    });
  };

  const drop = (wait: number) => {
    client?.end({ timeout: 1 }).catch(() => undefined);
    client = undefined;
    clearTimeout(again);
    again = setTimeout(connect, wait).unref();
  };

  const timer = setInterval(() => {
    if (!client) return;
    if (!alive) return drop(0);
    alive = false;
    pool()
      .query("select pg_notify($1, $2)", [channel, beat])
      .catch(() => undefined);
  }, beatMs).unref();

  connect();
  return () => {
    clearInterval(timer);
    clearTimeout(again);
    client?.end({ timeout: 1 }).catch(() => undefined);
    client = undefined;
    again = undefined;
  };
}
