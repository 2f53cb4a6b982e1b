"use client";

import { Download } from "lucide-react";
import { type Ref, useEffect, useRef } from "react";
import { outcome } from "@/components/batches/words";
import { Problem } from "@/components/form/problem";
import { RecordLink } from "@/components/record/record-link";
import { Button } from "@/components/ui/button";
import { LinkButton } from "@/components/ui/link-button";
import { offerFile } from "@/lib/client/csv";
import { useEndpoint } from "@/lib/client/hooks";
import { useImportProgress } from "@/lib/client/use-import-progress";
import { useMe } from "@/lib/client/use-me";
import { useScope } from "@/lib/client/use-scope";
import type { BulkReport } from "@/lib/contract/bulk";
import { getBatch } from "@/lib/contract/operations";
import { displayAmount } from "@/lib/kernel/money";
import { type ImportFile, resultCsv, sharedMistakes } from "./import-file";
import { counted } from "./import-report";

type ImportSummaryProps = {
  file: ImportFile;
  report: BulkReport;
  /** Why the rows were not created, or not checked again. */
  problem: string | null;
  checking: boolean;
  /** The import that is being created. */
  creating: string | null;
  onCreate: () => void;
  onColumns: () => void;
  onAgain: () => void;
};

/** What an import will do or did: how many links, how much money, how many mails. */
export function ImportSummary(props: ImportSummaryProps) {
  const { file, report, problem, creating } = props;
  const section = useRef<HTMLElement>(null);
  const said = useRef<HTMLParagraphElement>(null);
  useEffect(() => {
    if (problem === null) return;
    const { activeElement: at, body } = document;
    // A row that is being decided keeps the focus.
    if (at === body || section.current?.contains(at)) said.current?.focus();
  }, [problem]);
  const { mode } = useScope();
  const sendsMail = useMe().data?.sends_mail !== false;
  const stopped = useStoppedMails(report);
  const shared = report.dry_run ? sharedMistakes(file, report) : [];
  const count = report.dry_run ? report.valid : report.created;
  const money = report.totals
    .map(({ amount, currency }) => displayAmount(amount, currency))
    .join(" + ");
  return (
    <section
      ref={section}
      aria-label="What this import does"
      className="grid gap-3 rounded-card bg-surface px-5 py-4 shadow-float"
    >
      <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-3">
        <div className="min-w-0" role="status">
          <p className="text-body font-semibold">
            {count === 0
              ? report.dry_run
                ? "Nothing to create"
                : "Nothing was created"
              : `${counted(count, "payment link")} ${creating ? "being created" : report.dry_run ? "to create" : "created"}: ${money}`}
          </p>
          {shared.length > 0 ? (
            <p className="mt-0.5 text-bad">
              Every row has the same error: {shared.join(" ")} Correct it once for all of them under
              “Change columns”.
            </p>
          ) : null}
          {report.conflict > 0 ? (
            <p className="mt-0.5 text-warn">
              {counted(report.conflict, "row")} left out, because the reference is taken.
              {report.dry_run
                ? ` You can create ${report.conflict === 1 ? "it" : "them"} anyway: choose above.`
                : null}
            </p>
          ) : null}
          {stopped ? (
            <p className="mt-0.5 text-muted">
              E-mails stopped: {outcome(stopped)}.{" "}
              <RecordLink to={`/payment-links/batches/${stopped._id}`} text="See the e-mails" />
            </p>
          ) : count > 0 ? (
            <p className="mt-0.5 text-muted">
              {mailsOf(report)}
              {report.mails + report.with_reminders > 0 ? reach(sendsMail, mode) : ""}
            </p>
          ) : null}
        </div>
        <Buttons {...props} said={said} />
      </div>
      {creating ? <Progress importId={creating} total={count} /> : null}
    </section>
  );
}

/** The batch that would have mailed the payers, once it was stopped. */
function useStoppedMails({ mails_batch_id: id }: BulkReport) {
  const { data: batch } = useEndpoint(
    getBatch,
    { params: { batch_id: id ?? "" } },
    { enabled: id !== null },
  );
  return batch?.status === "stopped" ? batch : undefined;
}

/** Which mails go out now and later. */
function mailsOf({ dry_run: isDry, mails, with_reminders: later }: BulkReport): string {
  const reminders = `${counted(later, "payment link")} ${later === 1 ? "has" : "have"} reminders`;
  if (mails === 0)
    return later === 0 ? "No e-mail goes out." : `No e-mail goes out now. ${reminders}.`;
  return [
    `${counted(mails, "e-mail")} to payers.`,
    ...(isDry ? ["They wait for half a minute, so that you can stop them."] : []),
    ...(later > 0 ? [`${reminders}.`] : []),
  ].join(" ");
}

/** Who gets the mails; nothing where payers do. */
function reach(sendsMail: boolean, mode: string): string {
  if (!sendsMail) return " No mail server is set, so they are kept and not sent.";
  return mode === "test" ? " In test mode they reach only your own team." : "";
}

function Progress({ importId, total }: { importId: string; total: number }) {
  const done = useImportProgress(importId)?.done;
  return (
    <div>
      <progress
        aria-label={`Creating ${counted(total, "payment link")}`}
        value={done}
        max={total}
        className="w-full"
      />
      <p className="mt-1 text-fine text-muted">
        {done === undefined
          ? "All are created together. This takes a few seconds for thousands of rows."
          : `${done.toLocaleString("en-GB")} of ${total.toLocaleString("en-GB")}. All are created together.`}
      </p>
    </div>
  );
}

function Buttons({
  file,
  report,
  problem,
  said,
  checking,
  creating,
  onCreate,
  onColumns,
  onAgain,
}: ImportSummaryProps & { said: Ref<HTMLParagraphElement> }) {
  const { path } = useScope();
  return (
    <div className="flex flex-wrap gap-2">
      {problem ? <Problem text={problem} ref={said} /> : null}
      {report.dry_run ? (
        report.valid > 0 ? (
          <Button variant="primary" busy={creating !== null || checking} onClick={onCreate}>
            Create {counted(report.valid, "payment link")}
          </Button>
        ) : null
      ) : (
        <>
          <Button
            variant="primary"
            onClick={() => offerFile(`result-${file.name}`, resultCsv(file, report))}
          >
            <Download aria-hidden="true" className="size-4" />
            Download result CSV
          </Button>
          <LinkButton
            href={path(
              report.created > 0
                ? `/payment-links?import_id=${report.import_id}`
                : "/payment-links",
            )}
          >
            See the payment links
          </LinkButton>
          {report.import_id && report.created > 0 ? (
            <LinkButton href={path(`/payment-links/batches/${report.import_id}`)}>
              Undo this import…
            </LinkButton>
          ) : null}
        </>
      )}
      {report.dry_run ? (
        <Button variant="ghost" disabled={creating !== null} onClick={onColumns}>
          Change columns
        </Button>
      ) : null}
      <Button variant="ghost" disabled={creating !== null} onClick={onAgain}>
        Choose another file
      </Button>
    </div>
  );
}
