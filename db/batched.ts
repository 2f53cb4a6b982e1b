type Waiting<V> = { resolve: (value: V | undefined) => void; reject: (error: unknown) => void };

/**
 * Look-ups by id that arrive while another one is on its way travel together in the next statement. Each is answered by a
 * statement that began after it was asked, so nothing is ever read from a memory. `flights` statements at a time, `most` ids in one.
 */
export function batched<V>(
  load: (ids: string[]) => Promise<ReadonlyMap<string, V>>,
  flights = 2,
  most = 200,
): (id: string) => Promise<V | undefined> {
  let waiting = new Map<string, Waiting<V>[]>();
  let flying = 0;

  const depart = async (): Promise<void> => {
    if (flying >= flights || waiting.size === 0) return;
    const all = [...waiting];
    const taken = all.slice(0, most);
    waiting = new Map(all.slice(most));
    flying++;
    try {
      const found = await load(taken.map(([id]) => id));
      for (const [id, askers] of taken) for (const asker of askers) asker.resolve(found.get(id));
    } catch (error) {
      for (const [, askers] of taken) for (const asker of askers) asker.reject(error);
    } finally {
      flying--;
      void depart();
    }
  };

  return (id) =>
    new Promise((resolve, reject) => {
      const askers = waiting.get(id);
      if (askers) askers.push({ resolve, reject });
      else waiting.set(id, [{ resolve, reject }]);
      // Calls of the same turn of the event loop join the batch.
      if (flying < flights) queueMicrotask(() => void depart());
    });
}
