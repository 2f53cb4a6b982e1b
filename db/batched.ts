type Waiting<I, R> = {
  item: I;
  resolve: (result: R | Promise<R>) => void;
  reject: (error: unknown) => void;
};

/** After a statement has failed this late, those that waited for it fail at once instead of waiting as long again. */
const LONG_MS = 2_000;

/**
 * Calls that arrive while another one is on its way travel together in the next statement: `run` gets their items and gives their
 * results in the same order. Each is answered by a statement that began after it was asked. `flights` statements at a time, `most` items in one.
 * `gatherMs`: how long the first one waits for others.
 */
export function together<I, R>(
  run: (items: I[]) => Promise<readonly (R | Promise<R>)[]>,
  flights = 2,
  most = 200,
  gatherMs = 0,
): (item: I) => Promise<R> {
  let waiting: Waiting<I, R>[] = [];
  let flying = 0;
  let gathering = false;

  const depart = async (): Promise<void> => {
    gathering = false;
    if (flying >= flights || waiting.length === 0) return;
    const taken = waiting.slice(0, most);
    waiting = waiting.slice(most);
    flying++;
    const began = performance.now();
    try {
      const results = await run(taken.map(({ item }) => item));
      for (const [index, { resolve }] of taken.entries()) resolve(results[index] as R | Promise<R>);
    } catch (error) {
      const failed = performance.now() - began < LONG_MS ? taken : [...taken, ...waiting.splice(0)];
      for (const { reject } of failed) reject(error);
    } finally {
      flying--;
      void depart();
    }
  };

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      // Calls of the same turn of the event loop join the batch.
      if (flying >= flights) return;
      if (gatherMs === 0) return queueMicrotask(() => void depart());
      if (!gathering) setTimeout(() => void depart(), gatherMs);
      gathering = true;
    });
}

/** Look-ups by id that travel together; equal ids are asked for once. Results are never cached. */
export const batched = <V>(
  load: (ids: string[]) => Promise<ReadonlyMap<string, V>>,
): ((id: string) => Promise<V | undefined>) =>
  together<string, V | undefined>(async (ids) => {
    const found = await load([...new Set(ids)]);
    return ids.map((id) => found.get(id));
  });

/** `together` for each lane apart: a lane that waits for a lock keeps no other lane waiting. */
export function togetherBy<I, R>(
  laneOf: (item: I) => string,
  run: (items: I[]) => Promise<readonly (R | Promise<R>)[]>,
): (item: I) => Promise<R> {
  const lanes = new Map<string, { call: (item: I) => Promise<R>; open: number }>();
  return async (item) => {
    const name = laneOf(item);
    let lane = lanes.get(name);
    if (!lane) lanes.set(name, (lane = { call: together(run), open: 0 }));
    lane.open++;
    try {
      return await lane.call(item);
    } finally {
      if (--lane.open === 0) lanes.delete(name);
    }
  };
}
