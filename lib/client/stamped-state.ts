import type { DehydratedState } from "@tanstack/react-query";

const stamped = new WeakMap<DehydratedState, DehydratedState>();

/**
 * The data of a page, as old as this browser first had it. The server's clock may be another one: Back would put old data in the place of newer.
 */
export function stampedState(state: DehydratedState): DehydratedState {
  if (typeof window === "undefined") return state;
  const known = stamped.get(state);
  if (known) return known;
  const dataUpdatedAt = Date.now();
  const own = {
    ...state,
    queries: state.queries.map((query) => ({
      ...query,
      state: { ...query.state, dataUpdatedAt },
    })),
  };
  stamped.set(state, own);
  return own;
}
