import { fairQueue } from "./fair-queue";

/** So long after its last work an owner no longer counts as a neighbour of the others. */
const NEIGHBOUR_MS = 10_000;
/** What an owner may use before its share matters, in seconds of its share. */
const BURST_SECONDS = 2;
/** Longest pause that one long piece of work causes for its owner. */
const LONGEST_PAUSE_SECONDS = 5;
const WAITING_PER_OWNER = 64;
const WAITING = 4_096;
const WAIT_MS = 30_000;

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, Math.ceil(ms) + 1));

/** `left`: milliseconds of its share, as of `at`, when it was last looked at. */
type Owner = { left: number; at: number; waiting: number };

export type TimeShare = {
  /**
   * Runs `work` and takes its milliseconds from the owner's share. An owner that has used up its share does one piece after the other, with
   * pauses between them, for as long as others work too. Never nest it: the inner piece would wait for the outer one. Throws 429 with
   * Retry-After when too many pieces wait, 400 when `signal` aborts first.
   */
  run: <T>(owner: string, work: () => Promise<T>, signal?: () => AbortSignal) => Promise<T>;
  /** Says that there is work for an owner that has no share of its own. */
  note: (owner: string) => void;
};

/** Shares the time of this process between owners: each may use `msPerSecond()` of a second while others work too. 0: no limit. */
export function timeShare(msPerSecond: () => number): TimeShare {
  const owners = new Map<string, Owner>();
  const turns = fairQueue({
    running: Number.POSITIVE_INFINITY,
    runningPerOwner: 1,
    waitingPerKind: WAITING_PER_OWNER,
    waiting: WAITING,
    waitMs: WAIT_MS,
  });

  /** The owner with what came to its share since it was last looked at. */
  function current(name: string): Owner {
    const now = performance.now();
    const most = msPerSecond() * BURST_SECONDS;
    const owner = owners.get(name) ?? { left: most, at: now, waiting: 0 };
    owner.left = Math.min(most, owner.left + ((now - owner.at) * msPerSecond()) / 1_000);
    owner.at = now;
    // In order of last work: those that no longer count stand first.
    owners.delete(name);
    owners.set(name, owner);
    for (const [key, { at, waiting }] of owners) {
      if (now - at < NEIGHBOUR_MS || waiting > 0) break;
      owners.delete(key);
    }
    return owner;
  }

  const mustWait = (name: string) => {
    const { left } = current(name);
    return left <= 0 && owners.size > 1;
  };

  async function timed<T>(name: string, work: () => Promise<T>): Promise<T> {
    const began = performance.now();
    try {
      return await work();
    } finally {
      const owner = current(name);
      const least = -msPerSecond() * LONGEST_PAUSE_SECONDS;
      if (owners.size > 1) owner.left = Math.max(least, owner.left - (performance.now() - began));
    }
  }

  async function inTurn<T>(name: string, work: () => Promise<T>): Promise<T> {
    while (mustWait(name)) await pause((1_000 * -current(name).left) / msPerSecond());
    return timed(name, work);
  }

  return {
    note: (owner) => void current(owner),
    run: async (name, work, signal) => {
      if (msPerSecond() === 0) return work();
      const owner = current(name);
      if (owner.waiting === 0 && !mustWait(name)) return timed(name, work);
      owner.waiting++;
      try {
        return await turns.run(name, "work", () => inTurn(name, work), signal?.());
      } finally {
        owner.waiting--;
      }
    },
  };
}
