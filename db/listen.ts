import { log } from "@/lib/kernel/log";
import { keepConnection } from "./heartbeat";

type Heard = {
  /** What a NOTIFY carried. */
  notice: (payload: string) => void;
  /** Listening from now on; also after an interruption, in which notices may have been missed. */
  ready: () => void;
};

/**
 * Listens on a channel over a connection of its own, which is replaced when it is lost. Returns how to stop. Behind PgBouncer in
 * transaction mode nothing is ever received.
 */
export function listen(channel: string, heard: Heard): () => void {
  return keepConnection({
    name: "live changes",
    opened: async (client) => {
      client.on("notification", ({ payload }) => heard.notice(payload ?? ""));
      await client.query(`listen ${client.escapeIdentifier(channel)}`);
      heard.ready();
    },
    failed: (error) => log.warn({ err: error }, "live changes are not received for the moment"),
  });
}
