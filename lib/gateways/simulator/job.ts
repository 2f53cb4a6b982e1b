import { env } from "@/lib/env";
import { defineJob } from "@/lib/jobs/define";
import { createRunner } from "@/lib/jobs/runner";
import { passTime } from "./bank";
import { dueCallbacks } from "./callback-rows";
import { deliver } from "./clockwork";
import { settlingRefunds } from "./refunds/rows";
import { expiringSessions, settlingSessions } from "./session-rows";

const shared = { batch: 50, perTenant: 1 };

export const settling = defineJob({
  ...shared,
  name: "settle payments of the simulator",
  due: settlingSessions,
  work: (rows) => passSessions(rows),
});

export const pages = defineJob({
  ...shared,
  name: "close pages of the simulator",
  due: expiringSessions,
  work: (rows) => passSessions(rows),
});

export const refunds = defineJob({
  ...shared,
  name: "settle refunds of the simulator",
  due: settlingRefunds,
  work: async (rows) => {
    const connectionId = rows[0]?.connectionId;
    if (connectionId) await passTime({ connectionId, refunds: rows.map(({ id }) => id) });
  },
});

/** Sends the simulator's callbacks to this address. */
export const defineCallbacks = (baseUrl = env.BASE_URL) =>
  defineJob({
    name: "send callbacks of the simulator",
    due: dueCallbacks,
    lateAfterSeconds: null,
    work: async ([callback]) => {
      if (callback) await deliver(callback, baseUrl);
    },
  });

export const callbacks = defineCallbacks();

/** For tests: does what is due at one account, in a moment. */
export async function tick(connectionId: string, baseUrl: string): Promise<void> {
  await passTime({ connectionId });
  const runner = createRunner(defineCallbacks(baseUrl), { only: connectionId });
  while ((await runner.poll("tick")) > 0) await runner.drain();
}

async function passSessions(rows: readonly { connectionId: string; id: string }[]): Promise<void> {
  const connectionId = rows[0]?.connectionId;
  if (connectionId) await passTime({ connectionId, sessions: rows.map(({ id }) => id) });
}
