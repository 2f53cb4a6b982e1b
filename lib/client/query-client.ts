import { QueryCache, QueryClient } from "@tanstack/react-query";
import { ApiProblem } from "./problem";

const freshMs = 15_000;
const tries = 2;

/** A refusal stays one; only what may pass by itself is tried again. */
const mayPass = (error: unknown) =>
  error instanceof ApiProblem &&
  (error.status === 0 || error.status === 502 || error.status === 503 || error.status === 504);

/** The browser's one cache of API answers. `onSignedOut` hears of any call that says nobody is signed in. */
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
