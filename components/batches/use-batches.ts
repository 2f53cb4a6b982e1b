"use client";

import { useEffect, useState, useSyncExternalStore } from "react";
import { type Act, useAction, useEndpoint } from "@/lib/client/hooks";
import { useUnsentReason } from "@/components/mails/use-mail-notice";
import { notify } from "@/lib/client/notices";
import { useMembership } from "@/lib/client/use-me";
import type { Batch } from "@/lib/contract/batches";
import {
  createBatch,
  getBatch,
  getOverview,
  listBatches,
  listMails,
  listPaymentLinks,
  undoBatch,
} from "@/lib/contract/operations";
import { offersUndo } from "./offers-undo";
import { mails, openBatches, outcome } from "./words";

const touched = [listPaymentLinks, listMails, getOverview];
const FOLLOW_MS = 1_000;
const none: Batch[] = [];
/** A batch that ended longer ago is not announced. */
const NEWS_MS = 60_000;

export const isOpen = ({ status }: Batch): boolean => status === "waiting" || status === "running";

/** The end of these is announced: they were seen open, or this page started them and they may be done at once. */
let watched: readonly string[] = [];
const listeners = new Set<() => void>();
function setWatched(ids: readonly string[]): void {
  watched = ids;
  for (const listen of listeners) listen();
}
const watch = ({ _id }: Batch): void => setWatched([...new Set([...watched, _id])]);
/** Those that this tab started. */
const started = new Set<string>();
function start(batch: Batch): void {
  started.add(batch._id);
  watch(batch);
}
const getWatched = () => watched;
function listenTo(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const useStarting = (onStarted: () => void): Act<typeof createBatch> =>
  useAction(createBatch, {
    invalidates: touched,
    onSuccess: (batch) => {
      start(batch);
      onStarted();
    },
  });

export const useUndoing = (onUndoing?: (undo: Batch) => void): Act<typeof undoBatch> =>
  useAction(undoBatch, {
    invalidates: touched,
    onSuccess: (undo) => {
      start(undo);
      onUndoing?.(undo);
    },
  });

/**
 * The batches that wait or run; `ending`: those that were watched and are no longer among them, to be announced; `known` once they are read, and
 * with them `expected`.
 */
export function useOpenBatches(expected?: string): {
  open: Batch[];
  ending: readonly string[];
  known: boolean;
} {
  const [following, setFollowing] = useState(false);
  const answer = useEndpoint(
    listBatches,
    { query: openBatches },
    following ? { every: FOLLOW_MS } : {},
  );
  const open = answer.data?.data ?? none;
  if (following !== open.length > 0) setFollowing(open.length > 0);
  const watching = useSyncExternalStore(listenTo, getWatched, getWatched);
  useEffect(() => {
    for (const batch of open) if (!watching.includes(batch._id)) watch(batch);
  }, [open, watching]);
  const isShown = (id: string) => open.some(({ _id }) => _id === id);
  const own = useEndpoint(
    getBatch,
    { params: { batch_id: expected ?? "" } },
    { enabled: expected !== undefined && !isShown(expected) },
  );
  const known =
    expected === undefined ||
    isShown(expected) ||
    (answer.error ?? own.error) !== null ||
    (own.data !== undefined && !isOpen(own.data));
  return { open, ending: answer.data ? watching.filter((id) => !isShown(id)) : [], known };
}

/** Announces the end of a batch once, with Undo where this tab offers one. It may still be open: the list is older than its start then. */
export function useEnding(id: string): void {
  const { data: batch, error } = useEndpoint(
    getBatch,
    { params: { batch_id: id } },
    { every: FOLLOW_MS },
  );
  // It is one of another business or mode.
  const foreign = error?.status === 404;
  const { run: undo } = useUndoing();
  const mayUndo = useMembership().may(undoBatch);
  const unsent = useUnsentReason();
  useEffect(() => {
    if (!foreign && (!batch || isOpen(batch))) return;
    if (!watched.includes(id)) return;
    setWatched(watched.filter((one) => one !== id));
    if (batch && isNews(batch)) announce(batch, undo, mayUndo, unsent);
  }, [batch, foreign, id, undo, mayUndo, unsent]);
}

const isNews = ({ finished_at: end }: Batch) =>
  end !== null && Date.now() - Date.parse(end) < NEWS_MS;

function announce(
  batch: Batch,
  undo: Act<typeof undoBatch>["run"],
  mayUndo: boolean,
  unsent: string | undefined,
): void {
  const stopped = batch.status === "stopped";
  const notes = [
    ...(stopped ? [outcome(batch)] : []),
    ...(mails(batch) && batch.changed > 0 && unsent ? [unsent] : []),
  ];
  notify({
    title: stopped ? "Stopped" : outcome(batch),
    ...(notes.length > 0 ? { description: notes.join(". ") } : {}),
    tone: batch.changed > 0 ? "good" : "plain",
    ...(offersUndo(batch, { mayUndo, started })
      ? { undo: () => undo({ params: { batch_id: batch._id } }) }
      : {}),
  });
}
