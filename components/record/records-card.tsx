"use client";

import type { ReactNode } from "react";
import { Card } from "@/components/ui/card";
import { ErrorState } from "@/components/ui/error-state";
import { Loading, Skeleton } from "@/components/ui/skeleton";
import type { Page } from "@/lib/contract/envelope";
import { ShowAll } from "./show-all";

type RecordsCardProps<R> = {
  /** What the records are: "Payment links". */
  title: string;
  /** The result of `useEndpoint` on a list endpoint. Asked for by page number, it knows how many records there are. */
  answer: { data?: Page<R>; error: unknown; isPending: boolean; refetch: () => unknown };
  /** Shown where there is no record. */
  none: string;
  /** Where all of them are listed. */
  all: string;
  actions?: ReactNode;
  children: (record: R) => ReactNode;
};

/** The newest records of one kind that belong to another record. */
export function RecordsCard<R extends { _id: string }>({
  title,
  answer,
  none,
  all,
  actions,
  children,
}: RecordsCardProps<R>) {
  const rows = answer.data?.data ?? [];
  const total = answer.data && "total" in answer.data ? answer.data.total : undefined;
  const more = answer.data?.next_page_url != null;
  return (
    <Card title={title} actions={actions}>
      {answer.isPending ? (
        <Loading label={`Loading ${title.toLowerCase()}`}>
          <Skeleton className="w-2/3" />
        </Loading>
      ) : answer.error && !answer.data ? (
        <ErrorState error={answer.error} retry={() => void answer.refetch()} />
      ) : rows.length === 0 ? (
        <p className="text-muted">{none}</p>
      ) : (
        <ul aria-label={title} className="-my-2.5 divide-y divide-line">
          {rows.map((one) => (
            <li
              key={one._id}
              className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2 py-2.5"
            >
              {children(one)}
            </li>
          ))}
        </ul>
      )}
      {more ? <ShowAll href={all} total={total} /> : null}
    </Card>
  );
}
