"use client";

import { useRouter } from "next/navigation";
import { useCallback, useEffect, useRef } from "react";
import { type Arrived, createArrivals } from "@/lib/client/arrivals";
import { call } from "@/lib/client/call";
import { leave } from "@/lib/client/leaving";
import { notify } from "@/lib/client/notices";
import { isOwnPayment } from "@/lib/client/own-payments";
import type { Scope } from "@/lib/client/scope";
import { useLiveChanges } from "@/lib/client/stream";
import { markTab } from "@/lib/client/tab-mark";
import { useScope } from "@/lib/client/use-scope";
import { getPayment, listPayments } from "@/lib/contract/operations";

/** Keeps what is on screen true, and says when a payment arrives; draws nothing. */
export function Live({ since }: { since: string | undefined }) {
  const { business, mode } = useScope();
  useLiveChanges({ business, mode }, since, useArrivals({ business, mode }));
  return null;
}

/** What to call with the id of each payment that arrives: marks the tab, and shows a notice once the page is seen. */
function useArrivals({ business, mode }: Scope): (paymentId: string) => void {
  const { push } = useRouter();
  const current = useRef<ReturnType<typeof createArrivals>>(undefined);
  useEffect(() => {
    const scope = { business, mode };
    const arrivals = createArrivals({
      read: (ids) => readPayments(ids, scope),
      show: notify,
      open: (id) => leave(() => push(`/b/${business}/${mode}/payments${id ? `/${id}` : ""}`)),
      mark: markTab,
      isOwn: isOwnPayment,
    });
    current.current = arrivals;
    document.addEventListener("visibilitychange", arrivals.plan);
    return () => {
      document.removeEventListener("visibilitychange", arrivals.plan);
      arrivals.end();
    };
  }, [business, mode, push]);
  return useCallback((id) => current.current?.add(id), []);
}

/** Reads as this person may: the stream itself carries no amount and no payer. Of many it reads the newest, in one call. */
async function readPayments(ids: readonly string[], scope: Scope): Promise<readonly Arrived[]> {
  const [only] = ids;
  if (ids.length === 1 && only)
    return [await call(getPayment, { params: { payment_id: only } }, { scope })];
  const { data } = await call(listPayments, { query: { per_page: 100 } }, { scope });
  return data;
}
