import { db } from "@/db/client";
import { log } from "@/lib/kernel/log";
import { addCount } from "./rows";

// Web processes share limits without a database write for each call. Each takes a small part of a limit on its own, and adds what it took to
// the common count when that part is used up. All parts together are a tenth of the limit, so callers exceed a limit by at most that tenth, and
// never get less than the limit.
const SLACK = 0.1;
/** How long the number of web processes is taken as known: as long as a process that died counts as live. */
const WEBS_FOR_MS = 20_000;
/** After a failed count this process counts alone for a while, instead of making each call wait for the database. */
const ALONE_MS = 5_000;
const SWEEP_MS = 10_000;

type Local = {
  /** Points that this process took and has not added to the common count. */
  owed: number;
  /** The common count, when this process last saw it. */
  known: number;
  endsAt: number;
  settling?: Promise<void> | undefined;
};
type Call = { points: number; max: number; seconds: number };
type Use = { allowed: boolean; used: number; ms: number };

const locals = new Map<string, Local>();
let webs = { count: 1, until: 0 };
let aloneUntil = 0;
let sweepAt = 0;

/** What this process knows of a count; nothing once its window has ended. */
function localOf(key: string): Local | undefined {
  const now = performance.now();
  if (now > sweepAt) {
    sweepAt = now + SWEEP_MS;
    for (const [name, { endsAt }] of locals) if (endsAt <= now) locals.delete(name);
  }
  const local = locals.get(key);
  return local && local.endsAt > now ? local : undefined;
}

function newLocal(key: string, seconds: number): Local {
  const local = { owed: 0, known: 0, endsAt: performance.now() + seconds * 1_000 };
  locals.set(key, local);
  return local;
}

const useOf = (allowed: boolean, { known, owed, endsAt }: Local): Use => ({
  allowed,
  used: known + owed,
  ms: endsAt - performance.now(),
});

/** Points that this process may take before it adds them to the common count. */
const slackOf = (max: number) =>
  webs.until > performance.now() ? Math.floor((max * SLACK) / webs.count) : 0;

/** Takes points of a limit that the web processes share, if that many are left. */
export async function sharedCount(key: string, call: Call): Promise<Use> {
  const { points, max, seconds } = call;
  for (;;) {
    const local = localOf(key) ?? newLocal(key, seconds);
    if (local.known + local.owed + points > max) return useOf(false, local);
    const isAlone = aloneUntil > performance.now();
    if (isAlone || local.owed + points <= slackOf(max)) {
      local.owed += points;
      return useOf(true, local);
    }
    if (local.settling) {
      await local.settling;
      continue;
    }
    const settled = settle(key, local, call);
    local.settling = settled.then(
      () => undefined,
      () => undefined,
    );
    const taken = await settled.finally(() => {
      local.settling = undefined;
    });
    if (taken !== undefined) return useOf(taken, local);
  }
}

/** Adds what is owed, and these points if there are so many left: whether they were taken. Undefined where the database is away. */
async function settle(key: string, local: Local, call: Call): Promise<boolean | undefined> {
  const { owed } = local;
  try {
    const row = await addCount(db, key, { owed, ...call });
    local.owed -= owed;
    local.known = row.points;
    local.endsAt = performance.now() + row.ms;
    webs = { count: row.webs, until: performance.now() + WEBS_FOR_MS };
    return row.taken === call.points;
  } catch (error) {
    log.warn({ err: error }, "limits are counted by this process alone for the moment");
    aloneUntil = performance.now() + ALONE_MS;
    return undefined;
  }
}

/** Remembers that a count is full, so that refusing its caller again costs no statement. */
export function latch(key: string, { points, ms }: { points: number; ms: number }): void {
  locals.set(key, { owed: 0, known: points, endsAt: performance.now() + ms });
}

/** What is known of a count that was latched with more points than this. */
export function latched(key: string, points: number): Omit<Use, "allowed"> | undefined {
  const local = localOf(key);
  return local && local.known > points
    ? { used: local.known, ms: local.endsAt - performance.now() }
    : undefined;
}
