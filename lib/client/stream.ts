"use client";

import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { streamChanges } from "@/lib/contract/operations";
import type { StreamMessage, StreamReady } from "@/lib/contract/stream";
import { accessChanged } from "@/lib/contract/values";
import type { Known } from "./call";
import { fileAddress } from "./files";
import { noteHeard } from "./heard";
import { hiddenTurnOf, takeHiddenTurn } from "./hidden-turn";
import { keys } from "./keys";
import type { Scope } from "./scope";
import { askAgain } from "./ask-again";
import { everyTouched, touchedBy } from "./touched";
import { meKey } from "./use-me";

/** Many changes at once are asked about once. */
const gatherMs = 150;
const retryMs = 5_000;
/** How long a page that was hidden keeps its connection without being the one of its room that may. */
const hiddenMs = 1_000;

/**
 * Keeps what is on screen true: hears of every change in this business and mode, and asks again for what it may have changed. `since`: the
 * position of the data that came with the page. `arrived` gets the id of each payment that succeeds, also while the page is hidden.
 */
export function useLiveChanges(
  { business, mode }: Scope,
  since: string | undefined,
  arrived: (paymentId: string) => void,
): void {
  const client = useQueryClient();
  useEffect(
    () => follow(client, { business, mode }, since, arrived),
    [client, business, mode, since, arrived],
  );
}

/**
 * Follows the stream until the function that it returns is called. A browser has few connections for one site: of the hidden pages of a
 * room one keeps its own and passes on what arrives. The others catch up when they are seen again.
 */
export function follow(
  client: QueryClient,
  scope: Scope,
  since: string | undefined,
  arrived: (paymentId: string) => void,
): () => void {
  let position = since;
  const touched = new Set<Known>();
  let missed = false;
  let asking: Promise<unknown> | undefined;
  let source: EventSource | undefined;
  let gathering: ReturnType<typeof setTimeout> | undefined;
  let retrying: ReturnType<typeof setTimeout> | undefined;
  let leaving: ReturnType<typeof setTimeout> | undefined;
  let giveTurnBack: (() => void) | undefined;
  const room = `${scope.business} ${scope.mode}`;
  const others = new BroadcastChannel(`kutip arrivals ${room}`);
  const isSeen = () => document.visibilityState === "visible";

  const askAll = () =>
    Promise.all(
      [keys.scope(scope), meKey].map((queryKey) =>
        client.invalidateQueries({ queryKey, predicate: ({ state }) => state.data !== undefined }),
      ),
    );
  // A hidden page asks when it is seen again. While answers are on their way, changes wait for them: asking at once would cancel each
  // answer that takes longer than the pause between changes, so that none would arrive.
  const ask = async () => {
    gathering = undefined;
    if (!isSeen() || asking) return;
    const answers = missed ? askAll() : askAgain(client, scope, touched);
    asking = answers;
    touched.clear();
    missed = false;
    await answers;
    if (asking !== answers) return;
    asking = undefined;
    if (source && (missed || touched.size > 0)) gather();
  };
  const gather = () => {
    gathering ??= setTimeout(ask, gatherMs);
  };
  const hear = ({ data }: MessageEvent<string>) => {
    const { type, object_id: id, progress } = JSON.parse(data) as StreamMessage;
    if (progress) client.setQueryData(keys.importProgress(scope, id), progress);
    const known = touchedBy(type);
    noteHeard(known);
    for (const endpoint of known) touched.add(endpoint);
    // Another role reads other parts of each record.
    if (type === accessChanged) missed = true;
    gather();
    if (type !== "payment.succeeded") return;
    arrived(id);
    if (!isSeen()) others.postMessage(id);
  };
  // From here on nothing is missed. What was read before may be old, unless the stream began at its position.
  const ready = ({ data }: MessageEvent<string>) => {
    if ((JSON.parse(data) as StreamReady).complete) return;
    missed = true;
    noteHeard(everyTouched);
    // Answers on their way may hang in the connection that broke.
    asking = undefined;
    void ask();
  };
  const close = () => {
    clearTimeout(retrying);
    source?.close();
    source = undefined;
  };
  const open = () => {
    close();
    const address = fileAddress(streamChanges, {}, scope);
    source = new EventSource(position ? `${address}&since=${position}` : address);
    position = undefined;
    source.addEventListener("message", hear);
    source.addEventListener("ready", ready);
    source.addEventListener("error", () => {
      // The browser itself tries again, but not after an answer that is no stream: while the server starts, or once this person may no longer
      // read it. What that answer was, it does not say.
      if (source?.readyState !== EventSource.CLOSED) return;
      void client.invalidateQueries({ queryKey: meKey });
      retrying = setTimeout(open, retryMs);
    });
  };
  const giveUp = () => {
    clearTimeout(leaving);
    giveTurnBack?.();
    giveTurnBack = undefined;
  };
  const look = () => {
    giveUp();
    if (isSeen()) {
      if (source) gather();
      else open();
      return;
    }
    leaving = setTimeout(close, hiddenMs);
    giveTurnBack = takeHiddenTurn(hiddenTurnOf(room), () => {
      clearTimeout(leaving);
      if (!source) open();
    });
  };

  others.addEventListener("message", ({ data }: MessageEvent<string>) => {
    if (!source) arrived(data);
  });
  look();
  document.addEventListener("visibilitychange", look);
  return () => {
    document.removeEventListener("visibilitychange", look);
    clearTimeout(gathering);
    giveUp();
    close();
    others.close();
  };
}
