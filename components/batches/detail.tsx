"use client";

import { Undo2 } from "lucide-react";
import Link from "next/link";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { JsonCard } from "@/components/record/json-card";
import { RecordLink } from "@/components/record/record-link";
import { Unloaded } from "@/components/record/unloaded";
import { useUnsentReason } from "@/components/mails/use-mail-notice";
import { Button } from "@/components/ui/button";
import { ErrorState } from "@/components/ui/error-state";
import { Card, Facts } from "@/components/ui/card";
import { LinkButton } from "@/components/ui/link-button";
import { Money } from "@/components/ui/money";
import { PageHeader } from "@/components/ui/page-header";
import { Time } from "@/components/ui/time";
import { useAction, useEndpoint } from "@/lib/client/hooks";
import { useMembership } from "@/lib/client/use-me";
import { useScope } from "@/lib/client/use-scope";
import { useTitle } from "@/lib/client/use-title";
import type { Batch } from "@/lib/contract/batches";
import type { PaymentLink } from "@/lib/contract/payment-links";
import { getBatch, getBatchReport, stopBatch, undoBatch } from "@/lib/contract/operations";
import { BatchBadge } from "./badge";
import { UndoImport } from "./undo-import";
import { isOpen, useUndoing } from "./use-batches";
import { actionLabel, doing, links, mails, outcome, reasonLabel } from "./words";

const FOLLOW_MS = 1_000;

/** One change of many payment links: what came of it, what it left and why, and the way back. */
export function BatchDetail({ id }: { id: string }) {
  const { path } = useScope();
  const unsent = useUnsentReason();
  const [following, setFollowing] = useState(false);
  const answer = useEndpoint(
    getBatch,
    { params: { batch_id: id } },
    following ? { every: FOLLOW_MS } : {},
  );
  const batch = answer.data;
  const runs = batch !== undefined && isOpen(batch);
  if (following !== runs) setFollowing(runs);
  useTitle(batch && actionLabel(batch), batch && links(batch.total));
  const back = { href: path("/payment-links/batches"), label: "Imports and changes of many" };
  if (!batch) return <Unloaded title="Change of many" back={back} answer={answer} />;
  return (
    <>
      <PageHeader
        title={`${actionLabel(batch)}: ${links(batch.total)}`}
        badge={<BatchBadge batch={batch} />}
        back={back}
        description={isOpen(batch) ? `${doing(batch)}…` : outcome(batch)}
        actions={<Actions batch={batch} />}
      />
      <div className="grid gap-5">
        {unsent && mails(batch) ? (
          <p className="rounded-control bg-warn-soft px-3.5 py-2.5 text-warn">{unsent}</p>
        ) : null}
        <Card>
          <Facts
            items={[
              { label: "Checked", value: `${number(batch.done)} of ${number(batch.total)}` },
              { label: "Changed", value: number(batch.changed) },
              { label: "Skipped", value: number(batch.skipped) },
              ...(batch.expires_at
                ? [{ label: "New expiry", value: <Time value={batch.expires_at} /> }]
                : []),
              ...(batch.extend_days === null
                ? []
                : [
                    {
                      label: "More time",
                      value: `${batch.extend_days} ${batch.extend_days === 1 ? "day" : "days"} each${batch.move_due ? ", due dates too" : ""}`,
                    },
                  ]),
              ...(batch.file_name ? [{ label: "File", value: <bdi>{batch.file_name}</bdi> }] : []),
              { label: "By", value: batch.created_by.name },
              {
                label: batch.status === "waiting" ? "Starts" : "Started",
                value: hasStarted(batch) ? <Time value={batch.starts_at} /> : null,
              },
              { label: "Finished", value: <Time value={batch.finished_at} /> },
              ...other("Undoes", "See the change", batch.undo_of, path),
              ...other("Undone by", "See the undo", batch.undone_by, path),
            ]}
          />
        </Card>
        <Skipped batch={batch} />
        <JsonCard record={batch} />
      </div>
    </>
  );
}

/** One that was stopped while it waited never did. */
const hasStarted = ({ status, done }: Batch) => status !== "stopped" || done > 0;

const number = (count: number) => count.toLocaleString("en-GB");

const other = (label: string, text: string, id: string | null, path: (to: string) => string) =>
  id
    ? [
        {
          label,
          value: (
            <Link className="underline" href={path(`/payment-links/batches/${id}`)}>
              {text}
            </Link>
          ),
        },
      ]
    : [];

function Actions({ batch }: { batch: Batch }) {
  const { path } = useScope();
  const router = useRouter();
  const { may } = useMembership();
  const stopping = useAction(stopBatch);
  // What the undo does and leaves is on its own page.
  const undoing = useUndoing((undo) => router.push(path(`/payment-links/batches/${undo._id}`)));
  const [asking, setAsking] = useState(false);
  const params = { batch_id: batch._id };
  return (
    <>
      {batch.action === "import" ? (
        <LinkButton href={path(`/payment-links?import_id=${batch._id}`)}>
          See the payment links
        </LinkButton>
      ) : null}
      {isOpen(batch) && may(stopBatch) ? (
        <Button busy={stopping.busy} onClick={() => stopping.run({ params })}>
          Stop
        </Button>
      ) : null}
      {batch.can_undo && may(undoBatch) ? (
        <Button
          busy={undoing.busy}
          onClick={() => (batch.action === "import" ? setAsking(true) : undoing.run({ params }))}
        >
          <Undo2 aria-hidden="true" className="size-4" />
          {batch.action === "import" ? "Undo: cancel what is open" : "Undo"}
        </Button>
      ) : null}
      <UndoImport
        batch={batch}
        open={asking}
        onOpenChange={setAsking}
        busy={undoing.busy}
        onConfirm={() => {
          setAsking(false);
          undoing.run({ params });
        }}
      />
    </>
  );
}

/** The links that were left as they are, and those that their payers had in a mail already. */
function Skipped({ batch }: { batch: Batch }) {
  const report = useEndpoint(getBatchReport, { params: { batch_id: batch._id } });
  const found = report.data;
  if (report.error && !found)
    return (
      <Card title="What to know">
        <ErrorState error={report.error} retry={() => void report.refetch()} />
      </Card>
    );
  if (!found) return null;
  const { with_reminders: later } = found;
  if (found.skipped.length === 0 && found.mailed === 0 && later === 0) return null;
  return (
    <Card title="What to know" flush>
      {later > 0 ? (
        <p className="border-t border-line px-5 py-3">
          {links(later)} without a mail {later === 1 ? "has" : "have"} reminders from the file.
          Those are still sent.
        </p>
      ) : null}
      {found.mailed > 0 ? (
        <Links
          title="May have been asked to pay by e-mail before"
          count={found.mailed}
          of={found.mailed_links}
        />
      ) : null}
      {found.reasons.map(({ reason, count }) => (
        <Links
          key={reason}
          title={reasonLabel(batch.action, reason)}
          gone={reason === "deleted"}
          count={count}
          of={found.skipped
            .filter((one) => one.reason === reason)
            .map(({ payment_link: link }) => link)}
        />
      ))}
    </Card>
  );
}

type LinksProps = { title: string; count: number; of: readonly PaymentLink[]; gone?: boolean };

/** `gone`: they were deleted and have no page. */
function Links({ title, count, of, gone = false }: LinksProps) {
  return (
    <section aria-label={title} className="border-t border-line">
      <h3 className="px-5 pt-3 font-medium">
        {title}: {number(count)}
      </h3>
      <ul className="divide-y divide-line">
        {of.map((link) => (
          <li key={link._id} className="flex items-center justify-between gap-4 px-5 py-2">
            <span className="min-w-0">
              {gone ? (
                link.title
              ) : (
                <RecordLink to={`/payment-links/${link._id}`} text={link.title} />
              )}
              <span className="block wrap-break-word text-fine text-muted">{link.email}</span>
            </span>
            <Money amount={link.amount} currency={link.currency} />
          </li>
        ))}
      </ul>
    </section>
  );
}
