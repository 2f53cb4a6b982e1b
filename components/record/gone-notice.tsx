"use client";

import { useState } from "react";
import { LinkButton } from "@/components/ui/link-button";
import { Time } from "@/components/ui/time";
import { isGone } from "@/lib/client/gone";
import { useEndpoint } from "@/lib/client/hooks";
import { getLastEdit } from "@/lib/contract/operations";
import type { versionedKinds } from "@/lib/contract/values";
import { actorName } from "./changes";

export type GoneNoticeProps = {
  kind: (typeof versionedKinds)[number];
  id: string;
  /** The record as the page has it. */
  answer: { data?: unknown; error: unknown; isFetching: boolean };
  back: { href: string; label: string };
};

/** Says that the record of a page was deleted, by whom, and whether that was while the page was open; nothing while it exists. */
export function GoneNotice({ kind, id, answer, back }: GoneNoticeProps) {
  const gone = answer.data !== undefined && isGone(answer.error);
  // One from the cache may have been deleted before.
  const [existed, setExisted] = useState(false);
  if (!existed && answer.data !== undefined && !answer.error && !answer.isFetching)
    setExisted(true);
  const last = useEndpoint(getLastEdit, { query: { kind, id } }, { enabled: gone });
  if (!gone || last.isLoading) return null;
  const by = last.data?.deleted ? last.data.changed_by : null;
  return (
    <section
      role="alert"
      aria-label="Deleted"
      className="mb-5 flex flex-wrap items-center justify-between gap-3 rounded-card bg-warn-soft px-5 py-4"
    >
      <p className="min-w-0">
        <strong className="font-semibold">
          {by ? `${actorName(by)} deleted this` : "This was deleted"}
          {existed ? " while you had it open" : ""}
        </strong>
        {last.data?.deleted && last.data.changed_at ? (
          <>
            {" "}
            (<Time value={last.data.changed_at} />)
          </>
        ) : null}
        . The page shows how it was. Nothing here can be saved any more.
      </p>
      <LinkButton size="small" href={back.href}>
        {back.label}
      </LinkButton>
    </section>
  );
}
