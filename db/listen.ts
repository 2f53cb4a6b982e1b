import postgres from "postgres";
import { log } from "@/lib/kernel/log";
import { pool } from "./client";
import { isPooled, isRemote, listenOptions } from "./connection";
import { databaseLimits } from "./limits";

const AGAIN_MS = 500;
const LOCAL_BEAT_MS = 15_000;
const BEAT = "beat";

type Heard = {
  /** What a NOTIFY carried. */
  notice: (payload: string) => void;
  /** The subscription holds, for the first time or again. */
  ready: () => void;
};

/**
 * Listens on a channel over a connection of postgres.js, which subscribes again after an error. A missed beat means that the
 * subscription is dead without an error, so a new connection is made. Returns how to stop. Behind PgBouncer in transaction mode nothing
 * would be received, so that it is not ready there without a direct address.
 */
export function listen(channel: string, heard: Heard): () => void {
  if (isPooled()) {
    log.warn("live changes are not received behind PgBouncer: set DATABASE_DIRECT_URL");
    return () => undefined;
  }
  const { connectMs, heartbeatMs, heartbeatLimitMs } = databaseLimits();
  let client: postgres.Sql | undefined;
  let unansweredSince: number | undefined;
  let again: NodeJS.Timeout | undefined;

  const receive = (payload: string) => {
    if (payload === BEAT) unansweredSince = undefined;
    else heard.notice(payload);
  };

  const connect = () => {
    const made = postgres({
      ...listenOptions(),
      max: 1,
      connect_timeout: Math.max(1, connectMs / 1_000),
      onnotice: () => undefined,
      connection: { application_name: "kutip live changes" },
    });
    client = made;
    unansweredSince = undefined;
    made.listen(channel, receive, heard.ready).catch((error: unknown) => {
      log.warn({ err: error }, "live changes are not received for the moment");
      if (client === made) reconnect(AGAIN_MS);
    });
  };

  const close = () => {
    client?.end({ timeout: 0 }).catch(() => undefined);
    client = undefined;
  };

  const reconnect = (afterMs: number) => {
    close();
    clearTimeout(again);
    again = setTimeout(connect, afterMs).unref();
  };

  const beat = setInterval(
    () => {
      if (!client) return;
      const silentMs = performance.now() - (unansweredSince ?? performance.now());
      if (silentMs >= heartbeatLimitMs) return reconnect(0);
      unansweredSince ??= performance.now();
      pool()
        .query("select pg_notify($1, $2)", [channel, BEAT])
        .catch(() => undefined);
    },
    isRemote() ? heartbeatMs : LOCAL_BEAT_MS,
  ).unref();

  connect();
  return () => {
    clearInterval(beat);
    clearTimeout(again);
    close();
  };
}
