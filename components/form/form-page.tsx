"use client";

import type { ReactNode } from "react";
import { GoneNotice, type GoneNoticeProps } from "@/components/record/gone-notice";
import { NotAllowed } from "@/components/record/not-allowed";
import { ErrorState } from "@/components/ui/error-state";
import { PageHeader } from "@/components/ui/page-header";
import { useFresh } from "@/lib/client/use-fresh";
import { useMembership } from "@/lib/client/use-me";
import type { Endpoint } from "@/lib/contract/endpoint";
import { FirstField } from "./first-field";
import { FormSkeleton } from "./form-skeleton";

type Needed = { error: unknown; data?: unknown; refetch: () => unknown };
type Begun = Needed & Parameters<typeof useFresh>[0];
type FormPageProps = {
  title: string;
  description?: ReactNode;
  back: { href: string; label: string };
  /** The endpoint the form calls; who may not call it reads why. */
  does: Pick<Endpoint, "roles">;
  what: string;
  /** The record that the form begins with. */
  record?: Begun | undefined;
  /** What else must have been read before the form can stand. */
  needs?: readonly Needed[];
  /** Where the form edits the record, what that is. */
  edits?: Pick<GoneNoticeProps, "kind" | "id">;
  children: () => ReactNode;
};

const none = { data: null, isFetching: false, isFetchedAfterMount: false };

/** The page of a form: its head, and the form once what it needs is there and this person may use it. */
export function FormPage({
  title,
  description,
  back,
  does,
  what,
  record,
  needs = [],
  edits,
  children,
}: FormPageProps) {
  const { may, business } = useMembership();
  const all = record ? [record, ...needs] : needs;
  const failed = all.find(({ error, data }) => error && data === undefined);
  const isFresh = useFresh(record ?? none);
  const ready = isFresh && all.every(({ data }) => data !== undefined);
  return (
    <>
      <PageHeader title={title} description={description} back={back} />
      {edits && record ? <GoneNotice {...edits} answer={record} back={back} /> : null}
      {business && !may(does) ? (
        <NotAllowed what={what} />
      ) : failed ? (
        <ErrorState
          error={failed.error}
          retry={() => void Promise.all(all.map(({ refetch }) => refetch()))}
        />
      ) : ready ? (
        <FirstField>{children()}</FirstField>
      ) : (
        <FormSkeleton />
      )}
    </>
  );
}
