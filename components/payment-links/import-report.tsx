"use client";

import { type ReactNode, useState } from "react";
import { RecordLink } from "@/components/record/record-link";
import { Badge, type Tone } from "@/components/ui/badge";
import { Button } from "@/components/ui/button";
import { Card } from "@/components/ui/card";
import { cx } from "@/components/ui/cx";
import { Checkbox, Switch } from "@/components/ui/fields";
import type { BulkReport, BulkRow } from "@/lib/contract/bulk";
import { displayAmount } from "@/lib/kernel/money";
import { type ImportFile, type ImportRow, isConflict, mistakesOf } from "./import-file";

const words: Record<BulkRow["status"], [label: string, tone: Tone]> = {
  valid: ["Ready", "accent"],
  created: ["Created", "good"],
  exists: ["Already exists", "plain"],
  conflict: ["Conflict", "warn"],
  invalid: ["Error", "bad"],
};
const atOnce = 100;
const detailWords = { title: "another title", due_at: "another due date" };

export const counted = (count: number, one: string, many = `${one}s`) =>
  `${count.toLocaleString("en-GB")} ${count === 1 ? one : many}`;

function headline({ dry_run, created, exists, conflict, invalid, valid }: BulkReport): string {
  const parts = [
    dry_run ? `${counted(valid, "row")} ready` : `${counted(created, "payment link")} created`,
  ];
  if (exists > 0) parts.push(`${exists.toLocaleString("en-GB")} already existed`);
  if (conflict > 0) parts.push(counted(conflict, "conflict"));
  if (invalid > 0) parts.push(`${counted(invalid, "row")} with mistakes`);
  return parts.join(", ");
}

type ImportReportProps = {
  file: ImportFile;
  report: BulkReport;
  /** Rows that are created although their reference is taken. */
  chosen: number[];
  disabled: boolean;
  onChange: (chosen: number[]) => void;
};

/** The outcome of each row of the file. Before the import, rows with a taken reference can be created or skipped. */
export function ImportReport({ file, report, chosen, disabled, onChange }: ImportReportProps) {
  const [onlyWrong, setOnlyWrong] = useState(false);
  const [shown, setShown] = useState(atOnce);
  const wrong = report.rows.filter((row) => row.status === "invalid" || isConflict(row));
  const rows = onlyWrong ? wrong : report.rows;
  return (
    <Card flush>
      <header className="flex flex-wrap items-center justify-between gap-x-6 gap-y-2 px-5 pt-4.5 pb-3">
        <div role="status">
          <h2 className="text-body font-semibold tracking-[-0.01em]">{headline(report)}</h2>
          <p className="text-muted">
            {[file.name, file.note, "Rows have the numbers of your spreadsheet."]
              .filter(Boolean)
              .join(" · ")}
          </p>
        </div>
        {wrong.length > 0 && wrong.length < report.total ? (
          <Switch
            label="Errors and conflicts only"
            checked={onlyWrong}
            onChange={(event) => setOnlyWrong(event.target.checked)}
          />
        ) : null}
      </header>
      <ul aria-label="Rows of the file" className="divide-y divide-line border-t border-line">
        {rows.slice(0, shown).map((row) => (
          <Row key={row.row} row={row} file={file}>
            {report.dry_run && isConflict(row) ? (
              <Checkbox
                className="mt-1"
                label={
                  <>
                    Create<span className="sr-only"> row {file.rows[row.row - 1]?.number}</span>{" "}
                    anyway
                  </>
                }
                disabled={disabled}
                checked={chosen.includes(row.row)}
                onChange={({ target }) =>
                  onChange(
                    target.checked
                      ? [...chosen, row.row]
                      : chosen.filter((other) => other !== row.row),
                  )
                }
              />
            ) : null}
          </Row>
        ))}
      </ul>
      {rows.length > shown ? (
        <div className="border-t border-line px-5 py-3">
          <Button size="small" onClick={() => setShown(shown + atOnce)}>
            Show more ({(rows.length - shown).toLocaleString("en-GB")} left)
          </Button>
        </div>
      ) : null}
    </Card>
  );
}

function Row({
  row: made,
  file,
  children,
}: {
  row: BulkRow;
  file: ImportFile;
  children: ReactNode;
}) {
  const { row, status, payment_link: link, earlier_row: earlier } = made;
  const source = file.rows[row - 1];
  const [label, tone] = words[status];
  const mistakes = source?.unreadable ? [source.unreadable] : mistakesOf(made, source);
  return (
    <li className="flex gap-4 px-5 py-2.5">
      <span className="w-14 shrink-0 text-fine leading-6 text-muted">Row {source?.number}</span>
      <div className="min-w-0 flex-1">
        <p className="flex flex-wrap items-baseline justify-between gap-x-4">
          <span className="font-medium" dir="auto" lang="">
            {link && status === "created" ? (
              <RecordLink to={`/payment-links/${link._id}`} text={link.title} />
            ) : (
              source?.title || <span className="font-normal text-muted">No title</span>
            )}
          </span>
          <span className="font-medium">{source?.amount}</span>
        </p>
        <p className="flex flex-wrap gap-x-3 text-fine text-muted">
          {source?.name ? (
            <span className="text-ink" dir="auto" lang="">
              {source.name}
            </span>
          ) : null}
          {source?.email ? <span>{source.email}</span> : null}
          {source?.reference ? <span>{source.reference}</span> : null}
          {source?.moments.map((text) => (
            <span key={text}>{text}</span>
          ))}
        </p>
        {source?.description ? (
          <p className="line-clamp-2 wrap-break-word text-fine text-muted" dir="auto" lang="">
            {source.description}
          </p>
        ) : null}
        {made.kept_name !== null ? (
          <p className="mt-1 text-fine text-warn">
            The customer of this address keeps the name {made.kept_name}.
          </p>
        ) : null}
        <Known row={made} earlier={earlier === null ? undefined : file.rows[earlier - 1]} />
        {children}
        {mistakes.length > 0 ? (
          <ul className="mt-1 text-fine font-medium text-bad">
            {mistakes.map((text) => (
              <li key={text}>{text}</li>
            ))}
          </ul>
        ) : null}
      </div>
      <div className="shrink-0">
        <Badge tone={tone}>{label}</Badge>
      </div>
    </li>
  );
}

/** What a row's reference is taken by: the same content, so that it exists, or another. */
function Known({ row, earlier }: { row: BulkRow; earlier: ImportRow | undefined }) {
  const { status, payment_link: link, conflicts_with: other } = row;
  const taken = status === "created" || status === "valid" ? "is used by" : "is taken by";
  if (status === "exists" && link)
    return (
      <p className="mt-1 text-fine text-muted">
        It is this payment link: <RecordLink to={`/payment-links/${link._id}`} text={link.title} />
      </p>
    );
  if (row.differs.length > 0 && (other || earlier))
    return (
      <p className="mt-1 text-fine text-warn">
        {other ? (
          <>
            This payer has a payment link of the same reference and amount:{" "}
            <RecordLink to={`/payment-links/${other._id}`} text={other.title} />
          </>
        ) : (
          `Row ${earlier?.number} has the same reference, payer and amount`
        )}
        , with {row.differs.map((name) => detailWords[name]).join(" and ")}.
      </p>
    );
  if (other)
    return (
      <p className="mt-1 text-fine text-warn">
        Its reference {taken} <RecordLink to={`/payment-links/${other._id}`} text={other.title} />{" "}
        of {other.email}, {displayAmount(other.amount, other.currency)}.
      </p>
    );
  if (earlier === undefined || status === "invalid") return null;
  return (
    <p className={cx("mt-1 text-fine", status === "exists" ? "text-muted" : "text-warn")}>
      {status === "exists"
        ? `It is the same as row ${earlier.number}.`
        : `Its reference ${taken} row ${earlier.number}, with another payer, amount or currency.`}
    </p>
  );
}
