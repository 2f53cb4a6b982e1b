import { setTimeout as pause } from "node:timers/promises";
import { checkWork, closeDatabase, longWork, openDatabase } from "@/db/client";
import type { ProcessKind } from "@/db/processes";
import { Refusal } from "@/db/embedded/refusal";
import { assertEventsReadable } from "@/db/events-order";
import { databaseLimits } from "@/db/limits";
import { pendingMigrations } from "@/db/migrate";
import { assertMayWrite } from "@/db/oldest-writer";
import { preparePartitions } from "@/db/partitions";
import { EnvError, env, provideEnv, startedAhead } from "@/lib/env";
import { errorForLog, errorText } from "@/lib/kernel/error-text";
import { log } from "@/lib/kernel/log";
import type { LaterSettings } from "./children";
import { registerProcess } from "./registration";
import { checkSecret, verifySecret } from "./secret";

const WHERE = "the setting KUTIP_SECRET";
const RETRY_MS = 500;
const FIRST_TRY_MS = 3_000;

/** Whether this process waits for settings of its supervisor. */
export const isAhead = (): boolean => startedAhead && process.channel !== undefined;

/** Waits for the settings of the supervisor that started this process ahead. */
export async function awaitSettings(): Promise<void> {
  process.channel?.ref();
  provideEnv(await new Promise<LaterSettings>((resolve) => process.once("message", resolve)));
  process.channel?.unref();
}

/** Throws a Refusal that names the settings which a process of its own (`npm run web`, `npm run worker`) lacks. */
export function requireSettings(name: "web" | "worker"): void {
  void env.PORT;
  const missing = (["DATABASE_URL", "KUTIP_SECRET"] as const).filter((key) => !env[key]);
  if (missing.length > 0)
    throw new Refusal(
      `the ${name} process needs ${missing.join(" and ")}, the same as all processes of the install; npm start runs a whole install and needs neither`,
    );
}

/** Throws a Refusal where an operator gave a process arguments, such as --help: a supervisor alone passes one, the id of this start. */
export function refuseArguments(
  name: "web" | "worker",
  args = process.argv.slice(2),
  isSupervised = process.channel !== undefined,
): void {
  if (!isSupervised && args.length > 0)
    throw new Refusal(
      `the ${name} process takes no arguments, and ${args.join(" ")} was given: npm start -- --help lists its settings`,
    );
}

/** Keeps this process alive until it calls exit: idle connections and timers would let it end before its last work is written. */
export function stayUntilExit(): void {
  setInterval(() => undefined, 60_000);
}

/** An install that a process joins: `joined` resolves when it did, and `leave` ends that in order. */
type Joining = { joined: Promise<void>; leave: () => Promise<void> };

/**
 * Joins the install of DATABASE_URL once its secret is known here and its schema has what this version needs; returns how to leave. Until
 * then no call reaches the database, so that nothing is sealed with a wrong secret. Throws a Refusal on another secret, when the database
 * refuses this version, or when its restore is not complete. Migrations that are missing are waited for: undefined. Throws what else fails.
 */
async function join(
  kind: ProcessKind,
  signal?: AbortSignal,
): Promise<(() => Promise<void>) | undefined> {
  return longWork(async () => {
    await verifySecret(WHERE);
    await assertMayWrite();
    if ((await pendingMigrations()) > 0) return undefined;
    await checkSecret(WHERE);
    await assertEventsReadable();
    await preparePartitions();
    const leave = await registerProcess(kind, WHERE);
    openDatabase();
    watchVersion(signal);
    return leave;
  });
}

/** Keeps calls from the database and ends this process once an upgrade refuses its version. */
function watchVersion(signal?: AbortSignal): void {
  const { versionCheckMs } = databaseLimits();
  const timer = setInterval(() => {
    // Not as long work: housekeeping may hold both of its connections for minutes.
    checkWork(assertMayWrite).catch((error: unknown) => {
      // A database that is away refuses no version.
      if (!(error instanceof Refusal)) return;
      clearInterval(timer);
      closeDatabase();
      console.error(`kutip: ${error.message}`);
      process.kill(process.pid, "SIGTERM");
    });
  }, versionCheckMs);
  timer.unref();
  signal?.addEventListener("abort", () => clearInterval(timer), { once: true });
}

/** Tries to join for a moment, so that a wrong secret is refused before anything listens, then goes on trying. */
export async function joinInstall(kind: ProcessKind, signal?: AbortSignal): Promise<Joining> {
  closeDatabase();
  const patience = pause(FIRST_TRY_MS, undefined, { ref: false });
  let leaving: (() => Promise<void>) | undefined;
  const said = new Set<unknown>();
  const tryToJoin = async () => {
    leaving ??= await join(kind, signal).catch((error: unknown) => {
      if (error instanceof Refusal) throw error;
      const { message } = errorForLog(error);
      if (!said.has(message)) log.warn({ err: error }, "the install cannot be joined yet");
      said.add(message);
      return undefined;
    });
    return leaving;
  };
  const firstTry = tryToJoin();
  const until = async () => {
    if (await firstTry) return;
    log.warn("waiting for the database of DATABASE_URL and its migrations (kutip migrate)");
    while (!signal?.aborted && !(await tryToJoin()))
      await pause(RETRY_MS, undefined, signal ? { signal } : {}).catch(() => undefined);
  };
  await Promise.race([firstTry, patience]);
  return { joined: until(), leave: async () => leaving?.() };
}

/** Ends this process with one sentence an operator can act on, or with the error where it is none. */
export function refuse(error: unknown): never {
  if (error instanceof Refusal || error instanceof EnvError)
    for (const line of error.message.split("\n")) console.error(`kutip: ${line}`);
  else console.error(errorText(error));
  process.exit(1);
}
