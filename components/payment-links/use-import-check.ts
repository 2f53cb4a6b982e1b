"use client";

import { useEffect, useRef, useState } from "react";
import { useAction } from "@/lib/client/hooks";
import { type ApiProblem, problemText } from "@/lib/client/problem";
import type { BulkReport } from "@/lib/contract/bulk";
import { bulkCreatePaymentLinks } from "@/lib/contract/operations";
import type { ImportFile } from "./import-file";

// Several rows are often decided one after the other.
const DECIDE_MS = 300;
const NONE: number[] = [];

/** What the API would take of a file: its rows, and which of them are created although their reference is taken. */
export const bulkBody = ({ rows }: ImportFile, chosen: number[]) => ({
  rows: rows.map(({ fields }) => fields),
  create_conflicts: chosen,
  compare_details: true,
});

/** Checks a file without creating anything, anew whenever staff decide about a row. */
export function useImportCheck() {
  const [report, setReport] = useState<BulkReport | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [chosen, setChosen] = useState(NONE);
  const [checked, setChecked] = useState(NONE);
  const latest = useRef(NONE);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const isLatest = (body: { create_conflicts?: number[] | undefined }) =>
    body.create_conflicts === latest.current;
  const { run } = useAction(bulkCreatePaymentLinks, {
    onSuccess: (data, { body }) => {
      if (!isLatest(body)) return;
      setReport(data);
      setChecked(latest.current);
    },
    onProblem: (failed: ApiProblem, { body }) => {
      if (!isLatest(body)) return;
      setProblem(problemText(failed));
      setChosen(checked);
    },
  });

  const check = (file: ImportFile, create: number[], afterMs = 0) => {
    setProblem(null);
    setChosen(create);
    latest.current = create;
    clearTimeout(timer.current);
    timer.current = setTimeout(
      () => run({ body: { ...bulkBody(file, create), dry_run: true } }),
      afterMs,
    );
  };
  return {
    report,
    setReport,
    problem,
    setProblem,
    /** Rows that are created although their reference is taken. */
    chosen,
    /** The report is older than the choice. */
    busy: chosen !== checked,
    start: (file: ImportFile) => check(file, []),
    decide: (file: ImportFile, create: number[]) => check(file, create, DECIDE_MS),
    stop: () => {
      clearTimeout(timer.current);
      latest.current = NONE;
      setReport(null);
      setProblem(null);
      setChosen(checked);
    },
  };
}
