"use client";

import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { settleRequest } from "@/lib/contract/operations";
import { addressOf, type Asked, type Body, call, type Data, type Input, type Known } from "./call";
import { useAction } from "./hooks";
import { newIdempotencyKey } from "./idempotency";
import { trackOwn } from "./own-payments";
import { ApiProblem, isRefusal, problemText } from "./problem";
import { forgetSent, isForgotten, keepSent, readSent, type Sent } from "./sent";
import { useMe } from "./use-me";
import { useScope } from "./use-scope";

/** The outcome of a request after its response was lost. `asking`: not known yet; `trouble` says why the check failed. */
export type Lost<D> = { sent: Sent } & (
  | { kind: "asking"; trouble: string | null }
  | { kind: "ran"; data: D | null }
  | { kind: "never_ran" }
  | { kind: "forgotten" }
);

export type MoneyCall<O extends Known> = {
  /** Sends once. Gives the answer however often it is lost on the way. Throws what the API refuses, or that the request never ran. */
  send: (body: Body<O>, says: string, place?: string) => Promise<Data<O>>;
  /** A request of this page, of another tab or from before a reload, without a response. */
  lost: Lost<Data<O>> | null;
  /** Nothing may be sent before this is known. */
  asking: boolean;
  /** Asks at once instead of after the pause. */
  askNow: () => void;
  /** Puts what was said about a lost answer away. */
  dismiss: () => void;
};

type Setting = {
  invalidates?: readonly Known[];
  /** False for bodies that are too large to keep: what `ran` has no data after a reload. */
  keepsBody?: boolean;
};

const pauseMs = (tries: number) => Math.min(1_000 * 2 ** tries, 10_000);

/**
 * A POST that must not happen twice: it moves money or mails payers. Its key is kept until the outcome is known, across reloads and
 * tabs. A lost response is settled before another request goes to the same address.
 */
export function useMoneyCall<O extends Known>(
  endpoint: O,
  params: Asked<O>["params"],
  { invalidates, keepsBody = true }: Setting = {},
): MoneyCall<O> {
  const scope = useScope();
  const { business, mode } = scope;
  const path = addressOf(endpoint, { params });
  // Per account: what a colleague sent from this browser is not taken up, nor shown.
  const account = useMe().data?.user._id ?? "";
  const name = `${account} ${business} ${mode} ${endpoint.method} ${path}`;
  const method = endpoint.method as "POST";
  const { runAsync } = useAction(endpoint, { invalidates, onProblem: () => undefined });
  // Both are new with each drawing, also while a request is under way: nothing may start again because of that.
  const latest = useRef({ params, runAsync });
  latest.current = { params, runAsync };
  const run = useCallback(
    (body: unknown, key: string) =>
      trackOwn(
        latest.current.runAsync({ params: latest.current.params, body } as unknown as Input<O>, {
          idempotencyKey: key,
        }),
      ),
    [],
  );
  const [lost, setLost] = useState<Lost<Data<O>> | null>(null);
  const gone = useRef(false);
  const wake = useRef<() => void>(undefined);

  /** Asks until the outcome is known. Never returns once the page is left: the next page continues. */
  const findOut = useCallback(
    async (sent: Sent, body: unknown): Promise<Lost<Data<O>>> => {
      if (isForgotten(sent)) return { sent, kind: "forgotten" };
      const settled = (outcome: Lost<Data<O>>) => {
        forgetSent(name, sent.key);
        return outcome;
      };
      setLost({ sent, kind: "asking", trouble: null });
      for (let tries = 0; ; tries += 1) {
        try {
          const { outcome } = await call(
            settleRequest,
            { body: { method, path, idempotency_key: sent.key } },
            { scope: { business, mode } },
          );
          if (outcome === "never_ran") return settled({ sent, kind: "never_ran" });
          if (outcome === "ran") {
            if (body === undefined) return settled({ sent, kind: "ran", data: null });
            const data = await run(body, sent.key);
            return settled({ sent, kind: "ran", data });
          }
        } catch (problem) {
          if (!gone.current) setLost({ sent, kind: "asking", trouble: troubleOf(problem) });
        }
        await new Promise<void>((resolve) => {
          wake.current = resolve;
          if (!gone.current) setTimeout(resolve, pauseMs(tries));
        });
      }
    },
    [name, method, path, business, mode, run],
  );

  const takeUp = useCallback(
    async (sent: Sent) => {
      const outcome = await findOut(sent, sent.body);
      if (!gone.current) setLost(outcome);
    },
    [findOut],
  );

  useEffect(() => {
    gone.current = false;
    const sent = readSent(name);
    if (sent) void takeUp(sent);
    const ask = () => wake.current?.();
    window.addEventListener("online", ask);
    return () => {
      gone.current = true;
      window.removeEventListener("online", ask);
    };
  }, [name, takeUp]);

  const send = useCallback(
    async (body: Body<O>, says: string, place?: string): Promise<Data<O>> => {
      const open = readSent(name);
      if (open) {
        await takeUp(open);
        throw new ApiProblem(
          0,
          "settled_first",
          "An earlier request was still open. See what became of it, then send this one if you still want to.",
        );
      }
      const sent: Sent = {
        key: newIdempotencyKey(),
        says,
        at: Date.now(),
        place,
        ...(keepsBody ? { body } : {}),
      };
      setLost(null);
      keepSent(name, sent);
      try {
        const data = await run(body, sent.key);
        forgetSent(name, sent.key);
        return data;
      } catch (problem) {
        if (isRefusal(problem)) {
          forgetSent(name, sent.key);
          throw problem.errors.idempotency_key ? neverRan(says) : problem;
        }
      }
      const outcome = await findOut(sent, body);
      setLost(null);
      if (outcome.kind === "ran" && outcome.data !== null) return outcome.data;
      throw neverRan(says);
    },
    [name, keepsBody, run, findOut, takeUp],
  );

  return useMemo(
    () => ({
      send,
      lost,
      asking: lost?.kind === "asking",
      askNow: () => wake.current?.(),
      dismiss: () => {
        if (lost?.kind === "forgotten") forgetSent(name, lost.sent.key);
        setLost(null);
      },
    }),
    [send, lost, name],
  );
}

const troubleOf = (problem: unknown) =>
  problem instanceof ApiProblem && problem.status === 0
    ? "Kutip cannot be reached."
    : problemText(problem);

const neverRan = (says: string) =>
  new ApiProblem(
    0,
    "never_ran",
    `${says} was not made: the request did not reach Kutip. You can send it again.`,
  );
