import { MutationCache, QueryCache, QueryClient } from "@tanstack/react-query";
import type { WaitedFor } from "./hooks";
import { ApiProblem } from "./problem";

const freshMs = 15_000;
const tries = 2;

/** Retries only failures that may be temporary; refusals are final. */
const mayPass = (error: unknown) =>
  error instanceof ApiProblem &&
  (error.status === 0 || error.status === 502 || error.status === 503 || error.status === 504);

/** The browser's one cache of API answers. `onSignedOut` runs after any 401, unless a form shows it and keeps what was written. */
export function makeQueryClient(onSignedOut: () => void): QueryClient {
  const heard = (error: unknown) => {
    if (error instanceof ApiProblem && error.status === 401) onSignedOut();
  };
  return new QueryClient({
    queryCache: new QueryCache({ onError: heard }),
    // Not a default option: an action with an onError of its own would replace it.
    mutationCache: new MutationCache({
      onError: (error, sent, _context, { meta }) => {
        if (!meta?.showsProblems && !(sent as WaitedFor | undefined)?.isWaitedFor) heard(error);
      },
    }),
    defaultOptions: {
      queries: {
        staleTime: freshMs,
        retry: (failures, error) => failures < tries && mayPass(error),
        networkMode: "always",
      },
      mutations: { retry: false, networkMode: "always" },
    },
  });
}
