import { checkWork, isDatabaseOpen } from "@/db/client";
import { pendingMigrations } from "@/db/migrate";
import { mayWrite } from "@/db/oldest-writer";
import { takesWrites } from "@/db/writable";
import { unscopedCountBusinesses } from "@/lib/domain/businesses/rows";
import { take } from "@/lib/domain/limits/limits";
import { unscopedFindStaff } from "@/lib/domain/users/rows";
import { addressKey } from "@/lib/kernel/ip";
import { log } from "@/lib/kernel/log";
import { HEARTBEAT_LIMIT_SECONDS } from "@/lib/jobs/claim-rows";
import { reportWork, unscopedWorkHealth } from "@/lib/jobs/health";
import { allJobs } from "@/lib/worker/all-jobs";
import { version } from "@/lib/kernel/version";
import { isDraining } from "./drain";
import type { RouteContext } from "./route-handler";
import { sessionDigest } from "./session-cookie";

const CHECK_LIMIT_MS = 3_000;

type Part = "ok" | "down" | "late";
type State = Record<string, Part>;

/** Liveness: this process answers. Never asks the database. */
export const live = async (): Promise<Response> => answer({});

/**
 * Readiness of this process for load balancers: it has joined the install, and the database takes writes, from this version too. A newer
 * schema that still takes this version's writes is fine.
 */
export const ready = (): Promise<Response> => readiness("web", isDraining());

/** The same for any process of the install; `stopping`: it is about to end. */
export async function readiness(name: string, stopping: boolean): Promise<Response> {
  if (stopping) return answer({ [name]: "down" }, {}, "draining");
  const state = await databaseState();
  return answer(isDatabaseOpen() ? state : { [name]: "down", ...state });
}

/** The whole install, for alarms: readiness, and whether a worker is there and nothing is late. */
export async function health(request?: Request, context?: RouteContext): Promise<Response> {
  const session = request && sessionDigest(request);
  const state = await installState();
  const staff =
    session !== undefined &&
    state.database === "ok" &&
    (await isStaff(session, addressKey(context?.clientAddress)));
  return answer(state, staff ? { version } : {});
}

let looked: { session: string; found: Promise<boolean> } | undefined;

/**
 * The version is shown to signed-in staff alone: strangers would look up what is wrong with it. Anyone can make up sessions, so one is looked
 * at at a time. Callers with other ones, and an address that asks too often, get no version.
 */
async function isStaff(session: string, address: string | undefined): Promise<boolean> {
  if (looked !== undefined && looked.session !== session) return false;
  looked ??= { session, found: findStaff(session, address).finally(() => (looked = undefined)) };
  return looked.found;
}

const findStaff = (session: string, address: string | undefined): Promise<boolean> =>
  checkWork(async () => {
    const { allowed } = await take("payer_address", address);
    return allowed && ((await unscopedFindStaff(session, 0))?.open ?? false);
  }).catch(() => false);

const databaseState = shared(async () => {
  const state: State = { database: "down", migrations: "down" };
  await attempt(state, checkDatabase);
  return state;
});

const installState = shared(async () => {
  const state: State = { database: "down", migrations: "down", worker: "down" };
  await attempt(state, async () => {
    await checkDatabase(state);
    const work = await unscopedWorkHealth(allJobs.jobs, await unscopedCountBusinesses());
    const { seenSecondsAgo } = work;
    if (seenSecondsAgo === null || seenSecondsAgo > HEARTBEAT_LIMIT_SECONDS) return;
    state.worker = work.jobs.some(({ late }) => late) ? "late" : "ok";
    reportWork(work);
  });
  return state;
});

async function checkDatabase(state: State): Promise<void> {
  state.migrations = (await pendingMigrations()) === 0 && (await mayWrite()) ? "ok" : "down";
  state.database = (await takesWrites()) ? "ok" : "down";
}

/** Runs a check beside requests and long work: a busy pool does not mean that the database is down. */
async function attempt(state: State, check: (state: State) => Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("the check took too long")), CHECK_LIMIT_MS);
  });
  try {
    await Promise.race([checkWork(() => check(state)), limit]);
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

/** Strangers see only the state. */
function answer(state: State, more: { version?: string } = {}, trouble = "unavailable"): Response {
  const ok = Object.values(state).every((part) => part === "ok");
  return Response.json(
    { status: ok ? "ok" : trouble, ...state, ...more },
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
