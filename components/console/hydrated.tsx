"use client";

import { type DehydratedState, hydrate, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useEffect, useMemo } from "react";
import { heardSince } from "@/lib/client/heard";
import { stampedState } from "@/lib/client/stamped-state";
import { askAgain } from "@/lib/client/ask-again";
import { useMaybeScope } from "@/lib/client/use-scope";

/** When the page before this one was drawn: what the stream said until then is in the data of this one. */
let drawnAt = 0;

/** Puts the data of a page into the query cache. What changed while it was on its way is asked for again. */
export function Hydrated({ state, children }: { state: DehydratedState; children: ReactNode }) {
  const client = useQueryClient();
  const { business, mode } = useMaybeScope() ?? {};
  const stamped = stampedState(state);
  // Before the children are drawn, since a form keeps what it began with. The library's own boundary leaves cached answers until they are drawn.
  useMemo(() => hydrate(client, stamped), [client, stamped]);
  useEffect(() => {
    const changed = stamped.queries.length > 0 ? heardSince(drawnAt) : [];
    drawnAt = performance.now();
    if (business && mode) void askAgain(client, { business, mode }, changed);
  }, [client, business, mode, stamped]);
  return children;
}
