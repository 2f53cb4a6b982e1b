import { setTimeout as pause } from "node:timers/promises";
import { closeDatabase, longWork, openDatabase } from "@/db/client";
import { Refusal } from "@/db/embedded/refusal";
import { pendingMigrations } from "@/db/migrate";
import { EnvError, env } from "@/lib/env";
import { log } from "@/lib/kernel/log";
import { checkSecret, verifySecret } from "./secret";

const RETRY_MS = 500;
const FIRST_TRY_MS = 3_000;

/** Throws a Refusal that names the settings which a process of its own (`npm run web`, `npm run worker`) lacks. */
export function requireSettings(name: "web" | "worker"): void {
  void env.PORT;
  const missing = (["DATABASE_URL", "KUTIP_SECRET"] as const).filter((key) => !env[key]);
  if (missing.length > 0)
    throw new Refusal(
      `the ${name} process needs ${missing.join(" and ")}, the same as all processes of the install; npm start runs a whole install and needs neither`,
    );
}

/**
 * Joins the install of DATABASE_URL: true once its secret is ours and its schema current. Until then no call reaches the database, so
 * that nothing is sealed with a wrong secret. Throws a Refusal on another secret; what is away is waited for.
 */
async function join(): Promise<boolean> {
  try {
    return await longWork(async () => {
      await verifySecret("the setting KUTIP_SECRET");
      if ((await pendingMigrations()) > 0) return false;
      await checkSecret("the setting KUTIP_SECRET");
      openDatabase();
      return true;
    });
  } catch (error) {
    if (error instanceof Refusal) throw error;
    log.debug({ err: error }, "the database cannot be reached");
    return false;
  }
}

/** Tries to join for a moment, so that a wrong secret is refused before anything listens, then goes on trying; `joined` resolves when it did. */
export async function joinInstall(signal?: AbortSignal): Promise<{ joined: Promise<void> }> {
  closeDatabase();
  const patience = pause(FIRST_TRY_MS, false, { ref: false });
  const firstTry = await Promise.race([join(), patience]);
  const until = async () => {
    if (firstTry) return;
    log.warn("waiting for the database of DATABASE_URL and its migrations (kutip migrate)");
    while (!signal?.aborted && !(await join()))
      await pause(RETRY_MS, undefined, signal ? { signal } : {}).catch(() => undefined);
  };
  return { joined: until() };
}

/** Ends this process with one sentence an operator can act on, or with the error where it is none. */
export function refuse(error: unknown): never {
  if (error instanceof Refusal || error instanceof EnvError)
    for (const line of error.message.split("\n")) console.error(`kutip: ${line}`);
  else console.error(error);
  process.exit(1);
}
