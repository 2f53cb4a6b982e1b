"use client";

import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import {
  getBalance,
  getBusiness,
  getLastEdit,
  getOverview,
  listCustomers,
  listBatches,
  listMails,
  listPackages,
  listPaymentLinks,
  listPayments,
  listSubscriptions,
  listTokenizations,
  listWebhookEndpoints,
  streamChanges,
} from "@/lib/contract/operations";
import type { StreamMessage, StreamReady } from "@/lib/contract/stream";
import { fileAddress } from "./files";
import { keys } from "./keys";
import type { Scope } from "./scope";

/** Which tags of the contract a change may show in, by what it happened to. */
const touchedBy: Record<string, readonly string[]> = {
  payment: [
    listCustomers.tag,
    listPayments.tag,
    getBalance.tag,
    listPaymentLinks.tag,
    listMails.tag,
    getOverview.tag,
  ],
  refund: [
    listCustomers.tag,
    listPayments.tag,
    getBalance.tag,
    listPaymentLinks.tag,
    getOverview.tag,
  ],
  payment_link: [
    listCustomers.tag,
    listPaymentLinks.tag,
    listMails.tag,
    getOverview.tag,
    listSubscriptions.tag,
    getLastEdit.tag,
  ],
  tokenization: [listCustomers.tag, listTokenizations.tag, getOverview.tag],
  customer: [listCustomers.tag, getLastEdit.tag],
  batch: [listBatches.tag],
  package: [listPackages.tag, listSubscriptions.tag, getLastEdit.tag],
  webhook_endpoint: [listWebhookEndpoints.tag, getLastEdit.tag],
  business: [getBusiness.tag, getLastEdit.tag],
  subscription: [
    listCustomers.tag,
    listSubscriptions.tag,
    listPackages.tag,
    listPaymentLinks.tag,
    getOverview.tag,
    getLastEdit.tag,
  ],
};

/** Many changes at once are asked about once. */
const gatherMs = 150;
const retryMs = 5_000;

/**
 * Keeps what is on screen true: hears of every change in this business and mode, and asks again for what it may have changed. `since`: the
 * position of the data that came with the page.
 */
export function useLiveChanges({ business, mode }: Scope, since: string | undefined): void {
  const client = useQueryClient();
  useEffect(() => follow(client, { business, mode }, since), [client, business, mode, since]);
}

// A hidden page lets go of its connection, since a browser has few for one site; it catches up when it is seen again.
function follow(client: QueryClient, scope: Scope, since: string | undefined): () => void {
  let position = since;
  const touched = new Set<string>();
  let source: EventSource | undefined;
  let gathering: ReturnType<typeof setTimeout> | undefined;
  let retrying: ReturnType<typeof setTimeout> | undefined;

  const ask = () => {
    gathering = undefined;
    for (const tag of touched) void client.invalidateQueries({ queryKey: keys.tag(scope, tag) });
    touched.clear();
  };
  const hear = ({ data }: MessageEvent<string>) => {
    const { type, object_id: id, progress } = JSON.parse(data) as StreamMessage;
    if (progress) client.setQueryData(keys.importProgress(scope, id), progress);
    for (const tag of touchedBy[type.split(".")[0] ?? ""] ?? []) touched.add(tag);
    gathering ??= setTimeout(ask, gatherMs);
  };
  // From here on nothing is missed. What was read before may be old, unless the stream began at its position.
  const ready = ({ data }: MessageEvent<string>) => {
    if ((JSON.parse(data) as StreamReady).complete) return;
    void client.invalidateQueries({
      queryKey: keys.scope(scope),
      predicate: ({ state }) => state.data !== undefined,
    });
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
      // The browser itself tries again, but not after an answer that is no stream, as while the server starts.
      if (source?.readyState === EventSource.CLOSED) retrying = setTimeout(open, retryMs);
    });
  };
  const look = () => (document.visibilityState === "visible" ? (source ?? open()) : close());

  look();
  document.addEventListener("visibilitychange", look);
  return () => {
    document.removeEventListener("visibilitychange", look);
    clearTimeout(gathering);
    close();
  };
}
