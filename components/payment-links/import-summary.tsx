"use client";

import { Download } from "lucide-react";
import { Button, LinkButton } from "@/components/ui/button";
import { RadioGroup } from "@/components/ui/fields";
import { Card } from "@/components/ui/card";
import { offerFile } from "@/lib/client/csv";
import { useScope } from "@/lib/client/use-scope";
import type { BulkInput, BulkReport } from "@/lib/contract/bulk";
import { displayAmount } from "@/lib/kernel/money";
import { type ImportFile, isConflict, resultCsv } from "./import-file";
import { counted } from "./import-report";

export type OnConflict = NonNullable<BulkInput["on_conflict"]>;

type ConflictChoiceProps = {
  report: BulkReport;
  value: OnConflict;
  disabled: boolean;
  onChange: (value: OnConflict) => void;
};

/** Asks what happens to rows whose reference is taken by other content; nothing where there are none. */
export function ConflictChoice({ report, value, disabled, onChange }: ConflictChoiceProps) {
  const conflicts = report.rows.filter(isConflict).length;
  if (conflicts === 0 || !report.dry_run) return null;
  return (
    <Card
      title={`${counted(conflicts, "row")} with a reference that is taken`}
      description="The payer, amount or currency is another one, as in a second instalment of one order. Rows that are equal are never created twice."
    >
      <fieldset disabled={disabled}>
        <RadioGroup
          legend="What to do with them"
          name="on_conflict"
          value={value}
          options={[
            { value: "skip", label: "Skip them" },
            { value: "create", label: "Create them anyway" },
          ]}
          onChange={(event) => onChange(event.target.value as OnConflict)}
        />
      </fieldset>
    </Card>
  );
}

type ImportSummaryProps = {
  file: ImportFile;
  report: BulkReport;
  checking: boolean;
  creating: boolean;
  onCreate: () => void;
  onAgain: () => void;
};

/** What an import will do or did: how many links, how much money, how many mails. It stays in view while the rows are read. */
export function ImportSummary(props: ImportSummaryProps) {
  const { report, creating } = props;
  const { mode } = useScope();
  const count = report.dry_run ? report.valid : report.created;
  const money = report.totals
    .map(({ amount, currency }) => displayAmount(amount, currency))
    .join(" + ");
  const mails =
    report.mails === 0 ? "No e-mail goes out." : `${counted(report.mails, "e-mail")} to payers.`;
  return (
    <section
      aria-label="What this import does"
      className="sticky bottom-4 z-10 grid gap-3 rounded-card bg-surface px-5 py-4 shadow-float"
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
          {count > 0 ? (
            <p className="mt-0.5 text-muted">
              {mails}
              {mode === "test" && report.mails > 0
                ? " In test mode they reach only your own team."
                : ""}
            </p>
          ) : null}
        </div>
        <Buttons {...props} />
      </div>
      {creating ? (
        <div>
          <progress
            aria-label={`Creating ${counted(count, "payment link")}`}
            className="h-1.5 w-full"
          />
          <p className="mt-1 text-fine text-muted">
            All are created together. This takes a few seconds for thousands of rows.
          </p>
        </div>
      ) : null}
    </section>
  );
}

function Buttons({ file, report, checking, creating, onCreate, onAgain }: ImportSummaryProps) {
  const { path } = useScope();
  return (
    <div className="flex flex-wrap gap-2">
      {report.dry_run ? (
        report.valid > 0 ? (
          <Button variant="primary" busy={creating || checking} onClick={onCreate}>
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
        </>
      )}
      <Button variant="ghost" disabled={creating} onClick={onAgain}>
        Choose another file
      </Button>
    </div>
  );
}
