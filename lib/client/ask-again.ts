import type { QueryClient } from "@tanstack/react-query";
import type { Known } from "./call";
import { keys, ownScope } from "./keys";
import type { Scope } from "./scope";

/**
 * Asks again for all that is on screen under the tags of these endpoints; the rest is asked for when it is shown. A first answer that is on its way
 * may be older than the change, so that it is not waited for.
 */
export const askAgain = (
  client: QueryClient,
  scope: Scope | null,
  endpoints: Iterable<Known>,
): Promise<unknown> =>
  Promise.all(
    Array.from(endpoints, (endpoint) => {
      const queryKey = keys.tag(ownScope(scope, endpoint), endpoint.tag);
      // The library keeps a first request and forgets that it was made invalid.
      for (const query of client.getQueryCache().findAll({ queryKey, fetchStatus: "fetching" }))
        if (query.state.data === undefined && query.isActive()) query.cancel({ silent: true });
      return client.invalidateQueries({ queryKey });
    }),
  );
