"use client";

import { useEffect, useState, useSyncExternalStore } from "react";
import { type Act, useAction, useEndpoint } from "@/lib/client/hooks";
import { useUnsentReason } from "@/components/mails/use-mail-notice";
import { notify } from "@/lib/client/notices";
import type { Scope } from "@/lib/client/scope";
import { useMembership } from "@/lib/client/use-me";
import { useScope } from "@/lib/client/use-scope";
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
import { getWatched, onWatched, seeOpen, takeEnd } from "./watched";
import { mails, openBatches, outcome } from "./words";

const touched = [listPaymentLinks, listMails, getOverview];
const FOLLOW_MS = 1_000;
const none: Batch[] = [];

export const isOpen = ({ status }: Batch): boolean => status === "waiting" || status === "running";

/** Those that this tab started. */
const started = new Set<string>();
function start(batch: Batch, scope: Scope): void {
  started.add(batch._id);
  seeOpen(batch._id, scope, Date.now());
}

export function useStarting(onStarted: () => void): Act<typeof createBatch> {
  const scope = useScope();
  return useAction(createBatch, {
    keyed: true,
    invalidates: touched,
    onSuccess: (batch) => {
      start(batch, scope);
      onStarted();
    },
  });
}

export function useUndoing(onUndoing?: (undo: Batch) => void): Act<typeof undoBatch> {
  const scope = useScope();
  return useAction(undoBatch, {
    invalidates: touched,
    onSuccess: (undo) => {
      start(undo, scope);
      onUndoing?.(undo);
    },
  });
}

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
  const { business, mode } = useScope();
  const readAt = answer.dataUpdatedAt;
  const all = useSyncExternalStore(onWatched, getWatched, getWatched);
  const watching = all.flatMap(({ id, scope }) =>
    scope.business === business && scope.mode === mode ? [id] : [],
  );
  useEffect(() => {
    for (const { _id } of open) seeOpen(_id, { business, mode }, readAt);
  }, [open, readAt, business, mode]);
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
  const { business, mode } = useScope();
  const {
    data: batch,
    dataUpdatedAt: readAt,
    error,
  } = useEndpoint(getBatch, { params: { batch_id: id } }, { every: FOLLOW_MS });
  const isGone = error?.status === 404;
  const { run: undo } = useUndoing();
  const mayUndo = useMembership().may(undoBatch);
  const unsent = useUnsentReason();
  useEffect(() => {
    if (batch && isOpen(batch)) seeOpen(id, { business, mode }, readAt);
    if (!isGone && (!batch || isOpen(batch))) return;
    if (takeEnd(id, Date.now()) && batch && !isGone) announce(batch, undo, mayUndo, unsent);
  }, [batch, readAt, isGone, id, business, mode, undo, mayUndo, unsent]);
}

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
