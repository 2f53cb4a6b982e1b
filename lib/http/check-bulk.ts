import type { BulkBody, Checked, CheckedRow } from "@/lib/compute/tasks";
import { BulkInput, BulkRowInput } from "@/lib/contract/bulk";
import { check, validFields } from "@/lib/contract/messages";
import { parseObject } from "./body";
import { inThread } from "./checked-body";
import { remindersFrom } from "@/lib/contract/reminder-text";
import { csvRows } from "./csv";

/** A cell holds a schedule of reminders as a text. */
const withReminders = (row: Record<string, string>) =>
  row.reminders ? { ...row, reminders: remindersFrom(row.reminders) } : row;

/** Rows in a part: reading one takes the web thread about a millisecond. */
const PART_ROWS = 200;

/** Parses the body of a bulk call and checks every row: the part of the work that runs in a compute thread. */
export const checkBulk = ({ text, csv }: { text: string; csv: boolean }) =>
  inThread((): Checked<BulkBody> => {
    const body = check(
      BulkInput,
      csv ? { rows: csvRows(text).map(withReminders) } : parseObject(text),
    );
    if (!body.ok) return body;
    const { rows, ...others } = body.data;
    const encoder = new TextEncoder();
    const parts: Uint8Array[] = [];
    for (let from = 0; from < rows.length; from += PART_ROWS)
      parts.push(
        encoder.encode(JSON.stringify(rows.slice(from, from + PART_ROWS).map(checkedRow))),
      );
    return { ok: true, data: { ...others, rows: parts } };
  });

function checkedRow(source: unknown): CheckedRow {
  const result = check(BulkRowInput, source);
  if (result.ok) return { input: result.data };
  const valid = validFields(BulkRowInput, source) as Partial<BulkRowInput>;
  return { errors: result.errors, valid };
}
