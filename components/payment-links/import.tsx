"use client";

import { Download, FileUp } from "lucide-react";
import { useId, useState } from "react";
import { LostAnswer } from "@/components/form/lost-answer";
import { BatchStrip } from "@/components/batches/strip";
import { NotAllowed } from "@/components/record/not-allowed";
import { RecordLink } from "@/components/record/record-link";
import { Button } from "@/components/ui/button";
import { Card } from "@/components/ui/card";
import { cx } from "@/components/ui/cx";
import { PageHeader } from "@/components/ui/page-header";
import { Loading, Skeleton } from "@/components/ui/skeleton";
import { offerFile } from "@/lib/client/csv";
import { newIdempotencyKey } from "@/lib/client/idempotency";
import { problemText } from "@/lib/client/problem";
import { useMoneyCall } from "@/lib/client/use-money-call";
import { useMembership } from "@/lib/client/use-me";
import { useScope } from "@/lib/client/use-scope";
import type { BulkReport } from "@/lib/contract/bulk";
import { bulkCreatePaymentLinks, listMails } from "@/lib/contract/operations";
import { bulkLimits } from "@/lib/contract/values";
import { type ImportFile, importColumns, readImport, template } from "./import-file";
import { counted, ImportReport } from "./import-report";
import { ConflictChoice, ImportSummary } from "./import-summary";
import { bulkBody, useImportCheck } from "./use-import-check";

/** Many payment links from a CSV file: checked first, then created, with a report of each row. */
export function ImportLinks() {
  const { path } = useScope();
  const { may, business } = useMembership();
  const [file, setFile] = useState<ImportFile | null>(null);
  const { report, setReport, problem, setProblem, chosen, busy, ...check } = useImportCheck();
  const [creating, setCreating] = useState<string | null>(null);
  const create = useMoneyCall(bulkCreatePaymentLinks, undefined, {
    invalidates: [listMails],
    keepsBody: false,
  });
  const choose = async (from: File | undefined) => {
    check.stop();
    setFile(null);
    if (!from) return;
    if (from.size > bulkLimits.bytes) return setProblem("The file is larger than 2 MB.");
    const read = readImport(from.name, await from.text());
    if (typeof read === "string") return setProblem(read);
    setFile(read);
    check.start(read);
  };
  const createAll = async (from: ImportFile, checked: BulkReport) => {
    setProblem(null);
    const importId = newIdempotencyKey().slice(0, 24);
    setCreating(importId);
    try {
      setReport(
        await create.send(
          { ...bulkBody(from, chosen), import_id: importId, mails_wait: true },
          `The import of ${from.name} (${counted(checked.valid, "payment link")})`,
          `/payment-links?import_id=${importId}`,
        ),
      );
    } catch (failed) {
      setProblem(problemText(failed));
    } finally {
      setCreating(null);
    }
  };

  return (
    <>
      <PageHeader
        title="Import payment links"
        description="From a spreadsheet saved as CSV. Nothing is created before you have seen what each row becomes."
        back={{ href: path("/payment-links"), label: "Payment links" }}
      />
      {business && !may(bulkCreatePaymentLinks) ? <NotAllowed what="payment links" /> : null}
      {business && may(bulkCreatePaymentLinks) ? (
        <div className="grid gap-5">
          <LostAnswer
            call={create}
            ran={(_, { place }) => (
              <RecordLink to={place ?? "/payment-links"} text="See its links" />
            )}
          />
          {problem ? (
            <p
              role="alert"
              className="rounded-control bg-bad-soft px-3.5 py-2.5 font-medium text-bad"
            >
              {problem}
            </p>
          ) : null}
          {file ? (
            report ? (
              <>
                <ConflictChoice
                  report={report}
                  chosen={chosen}
                  disabled={creating !== null}
                  onChange={(rows) => check.decide(file, rows)}
                />
                <ImportReport
                  file={file}
                  report={report}
                  chosen={chosen}
                  disabled={creating !== null}
                  onChange={(rows) => check.decide(file, rows)}
                />
                {report.mails_batch_id ? <BatchStrip /> : null}
                <ImportSummary
                  file={file}
                  report={report}
                  checking={busy || create.asking}
                  creating={creating}
                  onCreate={() => void createAll(file, report)}
                  onAgain={() => void choose(undefined)}
                />
              </>
            ) : busy ? (
              <Checking name={file.name} />
            ) : (
              <div className="flex flex-wrap gap-2">
                <Button onClick={() => check.start(file)}>Check again</Button>
                <Button variant="ghost" onClick={() => void choose(undefined)}>
                  Choose another file
                </Button>
              </div>
            )
          ) : create.asking ? null : (
            <Chooser onFile={(chosen) => void choose(chosen)} />
          )}
        </div>
      ) : null}
    </>
  );
}

function Checking({ name }: { name: string }) {
  return (
    <Loading label={`Checking ${name}`}>
      <div className="grid gap-3 rounded-card bg-surface p-5 shadow-sheet">
        <Skeleton className="w-1/3" />
        <Skeleton className="w-3/4" />
        <Skeleton className="w-2/3" />
      </div>
    </Loading>
  );
}

function Chooser({ onFile }: { onFile: (file: File | undefined) => void }) {
  const id = useId();
  const [over, setOver] = useState(false);
  return (
    <div className="grid items-start gap-5 lg:grid-cols-2">
      <Card>
        {/* biome-ignore lint/a11y/noStaticElementInteractions: dropping is only a short cut; the button below does the same */}
        <div
          onDragOver={(event) => {
            event.preventDefault();
            setOver(true);
          }}
          onDragLeave={() => setOver(false)}
          onDrop={(event) => {
            event.preventDefault();
            setOver(false);
            onFile(event.dataTransfer.files[0]);
          }}
          className={cx(
            "grid justify-items-start gap-4 rounded-control border-2 border-dashed p-6",
            over ? "border-fill bg-accent-soft" : "border-line",
          )}
        >
          <span
            aria-hidden="true"
            className="grid size-11 place-items-center rounded-full bg-accent-soft text-accent"
          >
            <FileUp className="size-5" />
          </span>
          <div>
            <label htmlFor={id} className="text-body font-semibold">
              CSV file
            </label>
            <p className="mt-0.5 text-muted">
              Drop it here or choose it. At most {bulkLimits.rows.toLocaleString("en-GB")} rows and
              2 MB.
            </p>
          </div>
          <input
            id={id}
            type="file"
            accept=".csv,text/csv"
            onChange={(event) => onFile(event.target.files?.[0])}
            className="w-full file:mr-3 file:min-h-9.5 file:cursor-pointer file:rounded-control file:border file:border-fill-edge file:bg-fill file:px-3.5 file:font-medium file:text-on-fill"
          />
        </div>
      </Card>
      <Card
        title="Columns"
        description="The first row names them, in any order."
        actions={
          <Button size="small" onClick={() => offerFile("payment-links.csv", template)}>
            <Download aria-hidden="true" className="size-3.5" />
            Template
          </Button>
        }
      >
        <dl className="grid gap-x-4 gap-y-1.5 text-fine sm:grid-cols-[9.5rem_1fr]">
          {importColumns.map(({ name, text, required }) => (
            <div key={name} className="contents max-sm:block">
              <dt className="font-mono">{name}</dt>
              <dd className="text-muted">
                {text}
                {required ? <span className="font-medium text-ink"> · required</span> : null}
              </dd>
            </div>
          ))}
        </dl>
      </Card>
    </div>
  );
}
