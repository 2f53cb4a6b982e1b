import { setTimeout as pause } from "node:timers/promises";
import type { Shop } from "./shop";

const PATIENCE_MS = 15_000;
const OPEN_MS = 2_000;

/** Live updates as a browser receives them. */
export type Changes = {
  /** How many have arrived, once there are so many or none came for a while. */
  count: (wanted: number) => Promise<number>;
  stop: () => void;
};

/** Signs the owner of a shop in, opens the stream of its changes, and waits a moment for it to be ready. */
export async function listenToChanges(
  url: string,
  { businessId, owner }: Shop,
  origin = url,
): Promise<Changes> {
  const ending = new AbortController();
  const signedIn = await fetch(`${url}/api/auth/sign-in/email`, {
    method: "POST",
    headers: { origin, "content-type": "application/json" },
    body: JSON.stringify(owner),
  });
  const cookie = signedIn.headers
    .getSetCookie()
    .map((line) => line.split(";", 1)[0])
    .join("; ");
  const { body, status } = await fetch(`${url}/api/stream?business=${businessId}&mode=test`, {
    headers: { cookie },
    signal: ending.signal,
  });
  if (!body || status !== 200) throw new Error(`no live updates: ${status}`);
  let received = 0;
  let text = "";
  const read = async () => {
    for await (const part of body.pipeThrough(new TextDecoderStream())) {
      text += part;
      received = text.split("\n\n").filter((message) => message.startsWith("data: ")).length;
    }
  };
  read().catch(() => undefined);
  const until = async (holds: () => boolean, ms: number) => {
    const began = performance.now();
    while (!holds() && performance.now() - began < ms) await pause(50);
  };
  await until(() => text.includes("event: ready"), OPEN_MS);
  return {
    count: async (wanted) => {
      await until(() => received >= wanted, PATIENCE_MS);
      return received;
    },
    stop: () => ending.abort(),
  };
}
