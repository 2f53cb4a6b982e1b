import { useState } from "react";

type Answer = { data?: unknown; isFetching: boolean; isFetchedAfterMount: boolean };

/**
 * Whether a form may begin with an answer, from then on. One from the cache may be older than what was saved meanwhile, so it is asked for again
 * first; where that fails, the cached one counts.
 */
export function useFresh({ data, isFetching, isFetchedAfterMount }: Answer): boolean {
  const [begun, setBegun] = useState(false);
  const fresh = data !== undefined && (isFetchedAfterMount || !isFetching);
  if (fresh && !begun) setBegun(true);
  return begun || fresh;
}
