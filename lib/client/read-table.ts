import { readSpreadsheet } from "@/lib/contract/operations";
import type { SpreadsheetRows } from "@/lib/contract/spreadsheets";
import { bulkLimits, sheetLimits } from "@/lib/contract/values";
import { base64Of } from "./base64";
import { call } from "./call";
import { type DecodedText, decodeText } from "./decode-text";
import { problemText } from "./problem";

/** The cells of a file, row by row. */
export type Table = {
  name: string;
  lines: readonly (readonly string[])[];
  /** The number that each line has in a spreadsheet program, where the first one is 1. */
  numbers: readonly number[];
  /** Of a workbook: the cells that are merged over several rows, with a text in the first one alone. */
  merged?: SpreadsheetRows["merged_cells"];
  /** Of a CSV file: the encoding that was assumed, where its bytes do not say it. */
  encoding?: DecodedText["encoding"];
  /** Of a workbook: the sheet that was read, all that it has, and how many of the rows were left out as hidden. */
  workbook?: { sheet: string; sheets: readonly string[]; hidden: number };
};

/** Reads a CSV file here, and a workbook at the server, which knows its format by the content. A text says why neither works. */
export async function readTable(file: File, sheet?: string): Promise<Table | string> {
  const first = new Uint8Array(await file.slice(0, 4).arrayBuffer());
  if (isWorkbook(first)) return readWorkbook(file, sheet);
  if (file.size > bulkLimits.bytes) return "The file is larger than 2 MB.";
  const { readCsv } = await import("./read-csv");
  const { text, ...decoded } = decodeText(new Uint8Array(await file.arrayBuffer()));
  const found = readCsv(text);
  return typeof found === "string" ? found : { name: file.name, ...found, ...decoded };
}

// A workbook is a ZIP file; older and encrypted ones are an OLE container, of which the server says what to do.
const isWorkbook = ([a, b, c, d]: Uint8Array) =>
  (a === 0x50 && b === 0x4b && c === 3 && d === 4) || (a === 0xd0 && b === 0xcf && c === 0x11);

async function readWorkbook(file: File, sheet: string | undefined): Promise<Table | string> {
  if (file.size > sheetLimits.bytes) return "The file is larger than 4 MB.";
  try {
    const read = await call(readSpreadsheet, { body: { file: await base64Of(file), sheet } });
    return {
      name: file.name,
      lines: read.rows,
      numbers: read.row_numbers,
      merged: read.merged_cells,
      workbook: { sheet: read.sheet, sheets: read.sheets, hidden: read.hidden_rows },
    };
  } catch (error) {
    return problemText(error);
  }
}
