"use client";

import { Button } from "@/components/ui/button";
import { Card } from "@/components/ui/card";
import type { BulkReport, BulkRow } from "@/lib/contract/bulk";
import { isConflict } from "./import-file";
import { counted } from "./import-report";

type ConflictChoiceProps = {
  report: BulkReport;
  /** Rows that are created although their reference is taken. */
  chosen: number[];
  disabled: boolean;
  onChange: (chosen: number[]) => void;
};

/** Decides at once about all rows that conflict with an existing reference, of payers who have a link like it and of others apart. */
export function ConflictChoice(props: ConflictChoiceProps) {
  if (!props.report.dry_run) return null;
  const [billed, others] = partition(props.report.rows.filter(isConflict));
  return (
    <>
      <Choice
        {...props}
        conflicts={others}
        title={`${counted(others.length, "row")} with a reference that is taken`}
        description="The payer, amount or currency differs, such as for a second instalment of one order. Rows that are equal are never created twice. Choose for each row below, or for all of them here."
        all="Create all anyway"
        none="Skip all"
      />
      <Choice
        {...props}
        conflicts={billed}
        title={`${counted(billed.length, "row")} like a payment link that the payer has`}
        description="Reference, payer and amount are the same, but the title or the due date differs. Create them if they are separate bills, such as for the next trip. Skip them if only the wording changed."
        all="Create them anyway"
        none="Skip them"
      />
    </>
  );
}

const partition = (rows: BulkRow[]) =>
  [
    rows.filter(({ differs }) => differs.length > 0),
    rows.filter(({ differs }) => differs.length === 0),
  ] as const;

type ChoiceProps = ConflictChoiceProps & {
  conflicts: BulkRow[];
  title: string;
  description: string;
  all: string;
  none: string;
};

function Choice({
  conflicts,
  title,
  description,
  all,
  none,
  chosen,
  disabled,
  onChange,
}: ChoiceProps) {
  if (conflicts.length === 0) return null;
  const numbers = conflicts.map(({ row }) => row);
  const creating = numbers.filter((row) => chosen.includes(row)).length;
  const others = chosen.filter((row) => !numbers.includes(row));
  return (
    <Card title={title} description={description}>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <div className="flex flex-wrap gap-2">
          <Button
            size="small"
            disabled={disabled || creating === conflicts.length}
            onClick={() => onChange([...others, ...numbers])}
          >
            {all}
          </Button>
          <Button
            size="small"
            disabled={disabled || creating === 0}
            onClick={() => onChange(others)}
          >
            {none}
          </Button>
        </div>
        <p className="text-muted" role="status">
          {creating === 0
            ? "All are skipped."
            : creating === conflicts.length
              ? "All are created."
              : `${counted(creating, "row")} to create, ${(conflicts.length - creating).toLocaleString("en-GB")} to skip.`}
        </p>
      </div>
    </Card>
  );
}
