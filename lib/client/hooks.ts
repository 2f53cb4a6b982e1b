"use client";

import {
  keepPreviousData,
  type QueryClient,
  type QueryKey,
  useMutation,
  useQuery,
  useQueryClient,
  type UseQueryResult,
} from "@tanstack/react-query";
import { useMemo, useRef } from "react";
import type { CursorPage, Page } from "@/lib/contract/envelope";
import { type Asked, call, type CallOptions, type Data, type Input, type Known } from "./call";
import { underKeptKey } from "./kept-keys";
import { keys, ownScope } from "./keys";
import { notify } from "./notices";
import { type ApiProblem, problemText } from "./problem";
import type { Scope } from "./scope";
import { askAgain } from "./ask-again";
import { useMaybeScope } from "./use-scope";

type Reading<D> = {
  enabled?: boolean;
  /** Keeps the last rows on screen while the next page loads. */
  keepPrevious?: boolean;
  /** Fetches once and never refetches, for calls that needed a renewed proof. */
  once?: boolean;
  /**
   * Asks again after so many milliseconds while the page is looked at, and a long list less often. A function says it from the answer;
   * undefined for never.
   */
  every?: number | ((data: D | undefined) => number | undefined);
};

/** The answer of a GET, kept in the cache under business, mode, tag, endpoint and input. */
export function useEndpoint<O extends Known>(
  endpoint: O,
  input: Asked<O>,
  { enabled = true, keepPrevious = false, once = false, every }: Reading<Data<O>> = {},
): UseQueryResult<Data<O>, ApiProblem> {
  const scope = ownScope(useMaybeScope(), endpoint);
  const took = useRef(0);
  return useQuery<Data<O>, ApiProblem>({
    queryKey: keys.call(scope, endpoint, input),
    queryFn: async ({ signal }) => {
      const began = performance.now();
      try {
        return await call(endpoint, input as Input<O>, { scope, signal });
      } finally {
        took.current = performance.now() - began;
      }
    },
    // A change of the same tag would ask for the proof again after it was refused.
    enabled: once ? ({ state }) => enabled && state.status !== "error" : enabled,
    refetchInterval: ({ state: { data } }) =>
      pauseOf(typeof every === "function" ? every(data) : every, data, took.current),
    // An undefined one would replace the client's default. Only "static" is spared when its tag is asked again.
    ...(once ? { staleTime: "static" as const } : {}),
    placeholderData: keepPrevious ? (keepPreviousData as never) : undefined,
  });
}

/**
 * A page by number counts every row of its list, and a filter may read rows that it does not find. So the pause grows with the rows and
 * with the time that the last answer took, up to twelve times.
 */
function pauseOf(ms: number | undefined, answer: unknown, took: number): number | undefined {
  const page = answer as { current_page?: number; total?: number } | undefined;
  if (ms === undefined || (page && page.current_page === undefined)) return ms;
  return Math.min(Math.max(ms, took * 20, (ms * (page?.total ?? 0)) / 10_000), ms * 12);
}

type RowOf<O extends Known> = Data<O> extends Page<infer R> ? R : never;

/** Every row of a list, however many pages it has, as one page: for choosing one of them. */
export function useEveryRow<O extends Known>(
  endpoint: O,
  query: NonNullable<Asked<O>["query"]>,
): UseQueryResult<{ data: RowOf<O>[] }, ApiProblem> {
  const scope = ownScope(useMaybeScope(), endpoint);
  return useQuery<{ data: RowOf<O>[] }, ApiProblem>({
    queryKey: keys.call(scope, endpoint, { query: { ...query, per_page: "every" } }),
    queryFn: async ({ signal }) => {
      const data: RowOf<O>[] = [];
      for (let cursor: string | null | undefined; cursor !== null; ) {
        const page = (await call(
          endpoint,
          { query: { ...query, per_page: 100, cursor } } as unknown as Input<O>,
          { scope, signal },
        )) as unknown as CursorPage<RowOf<O>>;
        data.push(...page.data);
        cursor = page.next_cursor;
      }
      return { data };
    },
  });
}

/** Cached answers while an optimistic change is made; what it changed is put back should the call fail. */
export type Draft = {
  /** Changes every cached answer of an endpoint; return the same object to leave one as it is. */
  change: <O extends Known>(endpoint: O, update: (data: Data<O>) => Data<O>) => void;
};

type Doing<O extends Known> = {
  /** It mails payers or adds up: pressed again after a lost answer, it does nothing twice. */
  keyed?: boolean;
  /** Endpoints to be asked again besides all those of this one's tag. */
  invalidates?: readonly Known[];
  /** What the screen shows at once; rolled back with a notice when the call fails. */
  optimistic?: (draft: Draft, input: Input<O>) => void;
  onSuccess?: (data: Data<O>, input: Input<O>) => void;
  /** Called instead of the error notice; a form puts a 422 on its fields. */
  onProblem?: (problem: ApiProblem, input: Input<O>) => void;
};

/** Whether a form waits for the answer: it says what failed, and keeps what was written. */
export type WaitedFor = { isWaitedFor?: boolean };

export type Act<O extends Known> = {
  run: (input: Input<O>, options?: CallOptions) => void;
  runAsync: (input: Input<O>, options?: CallOptions) => Promise<Data<O>>;
  busy: boolean;
};

/** A POST, PUT or DELETE: runs it, refreshes what it may have changed, says when it failed. */
export function useAction<O extends Known>(
  endpoint: O,
  { keyed = false, invalidates = [], optimistic, onSuccess, onProblem }: Doing<O> = {},
): Act<O> {
  const scope = ownScope(useMaybeScope(), endpoint);
  const client = useQueryClient();
  type Sent = { input: Input<O>; options?: CallOptions } & WaitedFor;
  const mutation = useMutation<Data<O>, ApiProblem, Sent, Undo>({
    mutationFn: ({ input, options }) => {
      const send = (key?: string) =>
        call(endpoint, input, { scope, ...(key ? { idempotencyKey: key } : {}), ...options });
      return keyed ? underKeptKey({ scope, endpoint, input }, send) : send();
    },
    meta: { showsProblems: onProblem !== undefined },
    onMutate: ({ input }) =>
      changed(client, scope, endpoint, optimistic && ((draft) => optimistic(draft, input))),
    onSuccess: (data, { input }) => onSuccess?.(data, input),
    onError: (problem, { input }, undo) => {
      undo?.();
      if (onProblem) onProblem(problem, input);
      else
        notify({
          title:
            problem.status === 0
              ? "No answer"
              : optimistic
                ? "Not saved: put back as it was"
                : "That did not work",
          description: problemText(problem),
          tone: "bad",
        });
    },
    // Signed out: further requests would only be refused too.
    onSettled: (_data, problem) =>
      problem?.status === 401 ? undefined : askAgain(client, scope, [endpoint, ...invalidates]),
  });
  const { mutate, mutateAsync, isPending } = mutation;
  return useMemo(
    () => ({
      run: (input, options) => mutate({ input, options }),
      runAsync: (input, options) => mutateAsync({ input, options, isWaitedFor: true }),
      busy: isPending,
    }),
    [mutate, mutateAsync, isPending],
  );
}

type Undo = () => void;

/** Makes an optimistic change after stopping what is on its way, and gives back how to undo it. */
export async function changed(
  client: QueryClient,
  scope: Scope | null,
  endpoint: Known,
  make: ((draft: Draft) => void) | undefined,
): Promise<Undo> {
  if (!make) return () => undefined;
  await client.cancelQueries({ queryKey: keys.tag(scope, endpoint.tag) });
  const before: [QueryKey, unknown][] = [];
  make({
    change: (other, update) => {
      for (const [key, data] of client.getQueriesData({ queryKey: keys.endpoint(scope, other) })) {
        if (data === undefined) continue;
        before.push([key, data]);
        client.setQueryData(key, update(data as Data<typeof other>));
      }
    },
  });
  return () => {
    for (const [key, data] of before.reverse()) client.setQueryData(key, data);
  };
}
