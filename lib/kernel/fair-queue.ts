import { malformed, overloaded } from "./problem";

type Limits = {
  /** Pieces of work under way at a time, of all owners. */
  running: number;
  /** Pieces of work under way at a time of one owner. */
  runningPerOwner: number;
  /** Callers of one owner that may wait for each kind of work. */
  waitingPerKind: number;
  /** Callers that may wait in all: bounds the memory that waiting requests hold. */
  waiting: number;
  /** A caller that waited so long is refused. */
  waitMs: number;
};

/** A business, or an address without one. */
type Id = number | string;
type Waiting = { kind: string; start: () => void };
type Owner = { running: number; waiting: Waiting[] };

export type FairQueue = {
  /**
   * Runs `work` when the owner's turn comes. Throws 429 with Retry-After when the owner's places are taken or the wait was too long,
   * 400 when `signal` aborts first: the caller has disconnected.
   */
  run: <T>(owner: Id, kind: string, work: () => Promise<T>, signal?: AbortSignal) => Promise<T>;
};

const RETRY_SECONDS = 5;

/** A bounded queue in front of costly work. Owners take turns, so the work of one never delays another's by more than a turn. */
export function fairQueue(limits: Limits): FairQueue {
  // In order of turns: an owner that was served moves to the end.
  const owners = new Map<Id, Owner>();
  let running = 0;
  let waiting = 0;

  function startNext(): void {
    while (running < limits.running) {
      const next = [...owners].find(
        ([, { running: own, waiting: queue }]) => queue.length > 0 && own < limits.runningPerOwner,
      );
      if (!next) return;
      const [id, owner] = next;
      moveToEnd(id, owner);
      owner.running++;
      running++;
      waiting--;
      owner.waiting.shift()?.start();
    }
  }

  function place(id: Id, kind: string, signal: AbortSignal | undefined): Promise<void> {
    const owner = owners.get(id) ?? { running: 0, waiting: [] };
    const free = running < limits.running && owner.running < limits.runningPerOwner;
    const ofKind = owner.waiting.filter((one) => one.kind === kind).length;
    if (!free && (ofKind >= limits.waitingPerKind || waiting >= limits.waiting))
      throw overloaded(RETRY_SECONDS);
    if (signal?.aborted) throw disconnected();
    owners.set(id, owner);
    waiting++;
    return new Promise((resolve, reject) => {
      const leave = (problem: Error) => {
        owner.waiting.splice(owner.waiting.indexOf(one), 1);
        waiting--;
        settle();
        forget(id, owner);
        reject(problem);
      };
      const gone = () => leave(disconnected());
      const timer = setTimeout(() => leave(overloaded(RETRY_SECONDS)), limits.waitMs);
      const settle = () => {
        clearTimeout(timer);
        signal?.removeEventListener("abort", gone);
      };
      const one: Waiting = {
        kind,
        start: () => {
          settle();
          resolve();
        },
      };
      signal?.addEventListener("abort", gone);
      owner.waiting.push(one);
      startNext();
    });
  }

  function moveToEnd(id: Id, owner: Owner): void {
    owners.delete(id);
    owners.set(id, owner);
  }

  function forget(id: Id, owner: Owner): void {
    if (owner.running === 0 && owner.waiting.length === 0) owners.delete(id);
  }

  return {
    run: async (id, kind, work, signal) => {
      await place(id, kind, signal);
      try {
        return await work();
      } finally {
        const owner = owners.get(id) as Owner;
        owner.running--;
        running--;
        moveToEnd(id, owner);
        forget(id, owner);
        startNext();
      }
    },
  };
}

const disconnected = () => malformed("The caller has disconnected.");
