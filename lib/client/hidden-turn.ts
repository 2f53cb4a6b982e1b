/** A browser has six connections for one site without HTTP/2, so hidden pages hold at most some. */
const MAX_HIDDEN_CONNECTIONS = 3;

/**
 * Waits until this page is the one hidden page of its name that keeps a connection, then calls `hold`. Pages of the same browser agree on
 * it by a lock. Returns how to give the turn back. Never calls on a site without TLS: browsers have no locks there.
 */
export function takeHiddenTurn(name: string, hold: () => void): () => void {
  const over = new AbortController();
  const { locks } = navigator as Partial<Navigator>;
  void locks
    ?.request(name, { signal: over.signal }, async () => {
      const { held = [] } = await locks.query();
      if (over.signal.aborted) return;
      const ours = held.filter((lock) => lock.name?.startsWith(HIDDEN));
      if (ours.length > MAX_HIDDEN_CONNECTIONS) return;
      hold();
      await new Promise<void>((release) =>
        over.signal.addEventListener("abort", () => release(), { once: true }),
      );
    })
    .catch(() => undefined);
  return () => over.abort();
}

const HIDDEN = "kutip hidden ";
export const hiddenTurnOf = (room: string): string => HIDDEN + room;
