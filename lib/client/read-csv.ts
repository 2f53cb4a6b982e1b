import { CsvError, parse } from "csv-parse/browser/esm/sync";
import { csvDialect, filledLines } from "@/lib/kernel/csv-dialect";

/** The cells of a CSV text, line by line; blank lines are left out. A sentence where the text is not CSV. */
export function readCsv(text: string): string[][] | string {
  try {
    return filledLines(parse(text, csvDialect(text)));
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    return `Line ${error.lines ?? 1} of the file is not valid CSV: check its quotes.`;
  }
}
