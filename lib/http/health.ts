import { longWork } from "@/db/client";
import { pendingMigrations } from "@/db/migrate";
import { takesWrites } from "@/db/writable";
import { log } from "@/lib/kernel/log";
import { unscopedWorkState } from "@/lib/worker/late-rows";
import { isDraining } from "./drain";

const WORKER_MISSING_SECONDS = 20;
const LATE_SECONDS = 60;
const CHECK_LIMIT_MS = 3_000;

type Part = "ok" | "down" | "late";
type State = Record<string, Part>;

/** Liveness: this process answers. Never asks the database. */
export const live = async (): Promise<Response> => answer({});

/** Readiness of this process for load balancers: the database takes writes and has this version's schema. No worker is asked about. */
export async function ready(): Promise<Response> {
  return isDraining() ? answer({ web: "down" }, "draining") : answer(await databaseState());
}

/** The whole install, for alarms: readiness, and whether a worker is there and nothing is late. */
export async function health(): Promise<Response> {
  return answer(await installState());
}

const databaseState = shared(async () => {
  const state: State = { database: "down", migrations: "down" };
  await attempt(state, checkDatabase);
  return state;
});

const installState = shared(async () => {
  const state: State = { database: "down", migrations: "down", worker: "down" };
  await attempt(state, async () => {
    await checkDatabase(state);
    const work = await unscopedWorkState();
    if (work.seenSecondsAgo === null || work.seenSecondsAgo > WORKER_MISSING_SECONDS) return;
    state.worker = work.lateSeconds > LATE_SECONDS ? "late" : "ok";
  });
  return state;
});

async function checkDatabase(state: State): Promise<void> {
  state.migrations = (await pendingMigrations()) === 0 ? "ok" : "down";
  state.database = (await takesWrites()) ? "ok" : "down";
}

/** Runs a check beside the pool of the requests: a pool that is busy is no database that is away. */
async function attempt(state: State, check: (state: State) => Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("the check took too long")), CHECK_LIMIT_MS);
  });
  try {
    await Promise.race([longWork(() => check(state)), limit]);
  } catch (error) {
    log.warn({ err: error }, "not ready");
  } finally {
    clearTimeout(timer);
  }
}

/** Callers that ask at the same time share one check, so that asking often costs the database nothing. */
function shared(check: () => Promise<State>): () => Promise<State> {
  let running: Promise<State> | undefined;
  return () => (running ??= check().finally(() => (running = undefined)));
}

/** In public no more than this. */
function answer(state: State, trouble = "unavailable"): Response {
  const ok = Object.values(state).every((part) => part === "ok");
  return Response.json(
    { status: ok ? "ok" : trouble, ...state },
    {
      status: ok ? 200 : 503,
      headers: {
        "cache-control": "no-store",
        "x-content-type-options": "nosniff",
        ...(ok ? {} : { "retry-after": "2" }),
      },
    },
  );
}
