"use client";

import { useEffect, useState, useSyncExternalStore } from "react";
import { type Act, useAction, useEndpoint } from "@/lib/client/hooks";
import { useUnsentReason } from "@/components/mails/use-mail-notice";
import { notify } from "@/lib/client/notices";
import type { Batch } from "@/lib/contract/batches";
import {
  createBatch,
  getOverview,
  listBatches,
  listMails,
  listPaymentLinks,
  undoBatch,
} from "@/lib/contract/operations";
import { mails, outcome, recentBatches } from "./words";

const touched = [listPaymentLinks, listMails, getOverview];
const FOLLOW_MS = 1_000;
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
const getWatched = () => watched;
function listenTo(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const useStarting = (onStarted: () => void): Act<typeof createBatch> =>
  useAction(createBatch, {
    invalidates: touched,
    onSuccess: (batch) => {
      watch(batch);
      onStarted();
    },
  });

export const useUndoing = (onUndoing?: (undo: Batch) => void): Act<typeof undoBatch> =>
  useAction(undoBatch, {
    invalidates: touched,
    onSuccess: (undo) => {
      watch(undo);
      onUndoing?.(undo);
    },
  });

/**
 * The batches that wait or run; `known` once they are read, and with them `expected`. Announces each that ends while it is looked at, with Undo where
 * there is one.
 */
export function useOpenBatches(expected?: string): { open: Batch[]; known: boolean } {
  const [following, setFollowing] = useState(false);
  const { run: undo } = useUndoing();
  const unsent = useUnsentReason();
  const answer = useEndpoint(
    listBatches,
    { query: recentBatches },
    following ? { every: FOLLOW_MS } : {},
  );
  const batches = answer.data?.data;
  const open = (batches ?? []).filter(isOpen);
  if (following !== open.length > 0) setFollowing(open.length > 0);
  const watching = useSyncExternalStore(listenTo, getWatched, getWatched);
  useEffect(() => {
    for (const batch of batches ?? []) {
      const known = watching.includes(batch._id);
      if (isOpen(batch) && !known) watch(batch);
      if (isOpen(batch) || !known) continue;
      setWatched(watched.filter((id) => id !== batch._id));
      if (isNews(batch)) announce(batch, undo, unsent);
    }
  }, [batches, undo, unsent, watching]);
  const known =
    expected === undefined ||
    answer.error !== null ||
    batches?.some(({ _id }) => _id === expected) === true;
  return { open, known };
}

const isNews = ({ finished_at: end }: Batch) =>
  end !== null && Date.now() - Date.parse(end) < NEWS_MS;

function announce(
  batch: Batch,
  undo: Act<typeof undoBatch>["run"],
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
    ...(batch.can_undo ? { undo: () => undo({ params: { batch_id: batch._id } }) } : {}),
  });
}
