import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import { connectClient } from "./connection";
import {
  dropSilentSince,
  type LimitedClient,
  type Reading,
  readConnections,
} from "./limited-client";
import { databaseLimits } from "./limits";

const RECONNECT_MS = 500;

/**
 * Keeps one connection to an address open outside the pools, asks it for an answer every few seconds and replaces it when none comes. A missed
 * heartbeat means that the network is lost. Then every connection of this process to that address that was silent meanwhile is
 * destroyed too: keep-alives do not fire while data waits for its acknowledgement. Returns how to stop.
 */
export function keepHeartbeat(url: string): () => void {
  const { heartbeatMs, heartbeatLimitMs } = databaseLimits();
  const stop = new AbortController();
  let client: LimitedClient | undefined;
  let unanswered: { since: number; reading: Reading } | undefined;

  const expectAnswer = () => {
    unanswered ??= { since: performance.now(), reading: readConnections(url) };
  };
  const againMs = Math.min(heartbeatMs, RECONNECT_MS);
  const wait = (ms: number) => pause(ms, undefined, { ref: false, signal: stop.signal });

  const serve = async () => {
    expectAnswer();
    client = await connectClient(url, {
      application_name: "kutip heartbeat",
      connectionTimeoutMillis: heartbeatLimitMs,
      statementLimitMs: heartbeatLimitMs,
    });
    client.unref();
    if (stop.signal.aborted) return;
    for (;;) {
      unanswered = undefined;
      await wait(heartbeatMs);
      expectAnswer();
      await client.query("select 1");
    }
  };

  const run = async () => {
    while (!stop.signal.aborted) {
      await serve().catch((error: unknown) => {
        if (stop.signal.aborted) return;
        // A refusal is an answer too: the server is there.
        if (error instanceof pg.DatabaseError) unanswered = undefined;
        if (unanswered && performance.now() - unanswered.since >= heartbeatLimitMs) {
          dropSilentSince(unanswered.reading);
          // Connections that were opened after that reading are judged by a new one.
          unanswered = undefined;
        }
      });
      client?.end().catch(() => undefined);
      client = undefined;
      await wait(againMs).catch(() => undefined);
    }
  };

  void run();
  return () => {
    stop.abort();
    client?.end().catch(() => undefined);
  };
}
