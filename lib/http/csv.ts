import { parse } from "csv-parse/sync";
import { csvDialect, filledLines } from "@/lib/kernel/csv-dialect";
import { invalid, malformed } from "@/lib/kernel/problem";
import { cellText } from "@/lib/kernel/spreadsheet";
import { invalidText } from "./body";

const MAX_NAMED_ROWS = 20;

/** CSV with a header row as one object per row; blank lines are left out. Throws 400, and 422 on `rows` where cells do not match the header. */
export function csvRows(text: string): Record<string, string>[] {
  if (text.includes("\0")) throw invalidText();
  let lines: string[][];
  try {
    lines = filledLines(parse(text, csvDialect(text)));
  } catch {
    throw malformed("The request body is not valid CSV.");
  }
  const [header, ...rows] = lines;
  if (!header) throw malformed("The request body has no header row.");
  if (new Set(header).size !== header.length) throw malformed("The header row repeats a name.");
  const uneven = rows.flatMap((cells, index) =>
    cells.length === header.length
      ? []
      : [`Row ${index + 1} has ${cells.length} cells where the header has ${header.length}.`],
  );
  if (uneven.length > 0) throw invalid({ rows: uneven.slice(0, MAX_NAMED_ROWS) });
  return rows.map((cells) =>
    Object.fromEntries(header.map((name, index) => [name, cellText(cells[index] ?? "")])),
  );
}
