import { QueryCache, QueryClient } from "@tanstack/react-query";
import { ApiProblem } from "./problem";

const freshMs = 15_000;
const tries = 2;

/** Retries only failures that may be temporary; refusals are final. */
const mayPass = (error: unknown) =>
  error instanceof ApiProblem &&
  (error.status === 0 || error.status === 502 || error.status === 503 || error.status === 504);

/** The browser's one cache of API answers. `onSignedOut` runs after any 401. */
export function makeQueryClient(onSignedOut: () => void): QueryClient {
  const heard = (error: unknown) => {
    if (error instanceof ApiProblem && error.status === 401) onSignedOut();
  };
  return new QueryClient({
    queryCache: new QueryCache({ onError: heard }),
    defaultOptions: {
      queries: {
        staleTime: freshMs,
        retry: (failures, error) => failures < tries && mayPass(error),
        networkMode: "always",
      },
      mutations: { retry: false, networkMode: "always", onError: heard },
    },
  });
}
