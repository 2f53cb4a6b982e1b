"use client";

import { useState } from "react";
import { BatchStrip } from "@/components/batches/strip";
import { LeaveQuestion } from "@/components/form/leave-question";
import { LostAnswer } from "@/components/form/lost-answer";
import { Problem } from "@/components/form/problem";
import { useUnsavedGuard } from "@/components/form/use-unsaved-guard";
import { lacksProvider, NoProvider } from "@/components/record/no-provider";
import { NotAllowed } from "@/components/record/not-allowed";
import { RecordLink } from "@/components/record/record-link";
import { BottomBar } from "@/components/ui/bottom-bar";
import { Button } from "@/components/ui/button";
import { PageHeader } from "@/components/ui/page-header";
import { Loading, Skeleton } from "@/components/ui/skeleton";
import { useEndpoint } from "@/lib/client/hooks";
import { newIdempotencyKey } from "@/lib/client/idempotency";
import { later } from "@/lib/client/later";
import { problemText } from "@/lib/client/problem";
import { useMoneyCall } from "@/lib/client/use-money-call";
import { useMembership } from "@/lib/client/use-me";
import { useScope } from "@/lib/client/use-scope";
import type { BulkReport } from "@/lib/contract/bulk";
import {
  bulkCreatePaymentLinks,
  getBusiness,
  listBatches,
  listMails,
} from "@/lib/contract/operations";
import { limits } from "@/lib/contract/values";
import { ImportChooser } from "./import-chooser";
import { ConflictChoice } from "./import-conflicts";
import type { ImportFile } from "./import-file";
import { counted, ImportReport } from "./import-report";
import { ImportSummary } from "./import-summary";
import { bulkBody, useImportCheck } from "./use-import-check";
import { useImportTable } from "./use-import-table";

const ColumnTable = later(
  () => import("./column-table").then((module) => module.ColumnTable),
  () => <Checking name="the columns" />,
);

/** Many payment links from a spreadsheet: its columns are matched, its rows checked, then created, with a report of each row. */
export function ImportLinks() {
  const { mode, path } = useScope();
  const { may, business } = useMembership();
  const settings = useEndpoint(getBusiness, {});
  const isBlocked = settings.data !== undefined && lacksProvider(mode, settings.data);
  const { report, setReport, problem, setProblem, chosen, busy, ...check } = useImportCheck();
  const { table, file, matching, reading, ...source } = useImportTable({
    // Without a network nothing would come.
    ownCurrency: async () => {
      const isComing = settings.fetchStatus === "fetching";
      const own = isComing
        ? (await settings.refetch({ cancelRefetch: false })).data
        : settings.data;
      return own?.default_currency;
    },
    onProblem: setProblem,
    onFile: check.start,
  });
  const [creating, setCreating] = useState<string | null>(null);
  const unsaved = useUnsavedGuard(table !== null && creating === null && report?.dry_run !== false);
  const create = useMoneyCall(bulkCreatePaymentLinks, undefined, {
    invalidates: [listBatches, listMails],
    keepsBody: false,
  });
  const choose = (from: File | undefined, sheet?: string) => {
    check.stop();
    void source.choose(from, sheet);
  };
  const changeColumns = () => {
    check.stop();
    source.changeColumns();
  };
  const createAll = async (from: ImportFile, checked: BulkReport) => {
    setProblem(null);
    const importId = newIdempotencyKey().slice(0, 24);
    setCreating(importId);
    try {
      setReport(
        await create.send(
          {
            ...bulkBody(from, chosen),
            import_id: importId,
            file_name: from.name.slice(0, limits.fileName),
            mails_wait: true,
          },
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
        description="From a spreadsheet. Nothing is created before you have seen what each row becomes."
        back={{ href: path("/payment-links"), label: "Payment links" }}
      />
      <LeaveQuestion unsaved={unsaved}>
        The payment links of this file have not been created.
      </LeaveQuestion>
      {business && !may(bulkCreatePaymentLinks) ? <NotAllowed what="payment links" /> : null}
      {settings.data && may(bulkCreatePaymentLinks) ? (
        <NoProvider business={settings.data} what="links" />
      ) : null}
      {business && may(bulkCreatePaymentLinks) ? (
        <div className="grid gap-5">
          <LostAnswer
            call={create}
            ran={(_, { place }) => (
              <RecordLink to={place ?? "/payment-links"} text="See its links" />
            )}
          />
          {problem && !(file && report) ? <Problem text={problem} /> : null}
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
                <BottomBar>
                  {report.mails_batch_id ? (
                    <BatchStrip
                      expected={{ _id: report.mails_batch_id, action: "send", total: report.mails }}
                    />
                  ) : null}
                  <ImportSummary
                    file={file}
                    report={report}
                    problem={problem}
                    checking={busy || create.asking}
                    creating={creating}
                    onCreate={() => void createAll(file, report)}
                    onColumns={changeColumns}
                    onAgain={() => choose(undefined)}
                  />
                </BottomBar>
              </>
            ) : busy ? (
              <Checking name={file.name} />
            ) : (
              <div className="flex flex-wrap gap-2">
                <Button onClick={() => check.start(file)}>Check again</Button>
                <Button variant="ghost" onClick={() => choose(undefined)}>
                  Choose another file
                </Button>
              </div>
            )
          ) : table && matching ? (
            <ColumnTable
              key={table.workbook?.sheet}
              table={table}
              matching={matching}
              onSheet={(sheet) => void source.chooseSheet(sheet)}
              onDone={source.match}
              onAgain={() => choose(undefined)}
            />
          ) : reading ? (
            <Checking name={reading} />
          ) : settings.isLoading ? (
            <Checking name="the business" />
          ) : create.asking || isBlocked ? null : (
            <ImportChooser onFile={(chosen) => choose(chosen)} />
          )}
        </div>
      ) : null}
    </>
  );
}

function Checking({ name }: { name: string }) {
  return (
    <Loading label={`Reading ${name}`}>
      <div className="grid gap-3 rounded-card bg-surface p-5 shadow-sheet">
        <Skeleton className="w-1/3" />
        <Skeleton className="w-3/4" />
        <Skeleton className="w-2/3" />
      </div>
    </Loading>
  );
}
