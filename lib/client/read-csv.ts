import { CsvError, parse } from "csv-parse/browser/esm/sync";
import { csvDialect, delimiterBelowTitles, filledLines } from "@/lib/kernel/csv-dialect";
import { cellText } from "@/lib/kernel/spreadsheet";

/** The lines of a table with text, and the number that each has in a spreadsheet program, where the first one is 1. */
export type Lines = { lines: string[][]; numbers: number[] };

/** The texts of a CSV file's cells, line by line; blank lines are left out. A sentence where the text is not CSV. */
export function readCsv(text: string): Lines | string {
  try {
    const dialect = csvDialect(text, delimiterBelowTitles(text));
    const all: string[][] = parse(text, { ...dialect, skip_empty_lines: false });
    const lines = filledLines(all);
    const numbers = new Map(all.map((cells, at) => [cells, at + 1]));
    return {
      lines: lines.map((cells) => cells.map(cellText)),
      numbers: lines.map((cells) => numbers.get(cells) ?? 0),
    };
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    return `Line ${error.lines ?? 1} of the file is not valid CSV: check its quotes.`;
  }
}
