import { get } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { env } from "@/lib/env";
import type { Child } from "./children";

const ASK_LIMIT_MS = 5_000;
const PATIENCE = 3;
/** Most installs have started within this time. It is asked more seldom after it. */
const QUICK_MS = 10_000;

/** Whether the web process of this install answers 200 at an address. */
export function responds(address: string): Promise<boolean> {
  const host =
    env.HOST === "0.0.0.0"
      ? "127.0.0.1"
      : env.HOST === "::"
        ? "[::1]"
        : env.HOST.includes(":")
          ? `[${env.HOST}]`
          : env.HOST;
  // Not fetch, which takes 6 MB of this process.
  return new Promise((resolve) => {
    const request = get(
      `http://${host}:${env.PORT}${address}`,
      { timeout: ASK_LIMIT_MS },
      (answer) => {
        answer.resume();
        resolve(answer.statusCode === 200);
      },
    );
    request.on("timeout", () => request.destroy());
    request.on("error", () => resolve(false));
  });
}

/**
 * Waits until the install serves and all its processes answer; false where one of them ends too often, or a signal comes first. Late work is
 * for alarms: an install may start with it, and serves.
 */
export async function haveStarted(
  children: readonly Child[],
  signalled: AbortSignal,
): Promise<boolean> {
  const began = performance.now();
  while (!signalled.aborted && children.every(({ failures }) => failures < PATIENCE)) {
    if (await responds("/api/health/ready")) {
      const answers = await Promise.all(children.map((child) => child.answers()));
      if (answers.every(Boolean)) return true;
    }
    await pause(performance.now() - began < QUICK_MS ? 50 : 250);
  }
  return false;
}
