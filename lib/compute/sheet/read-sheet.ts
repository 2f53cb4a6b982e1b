import type { SpreadsheetRows } from "@/lib/contract/spreadsheets";
import { locked, openArchive } from "./archive";
import { readRows } from "./rows";
import { damaged, Unreadable } from "./unreadable";
import { openWorkbook } from "./workbook";

const ZIP = Buffer.from("PK\u0003\u0004", "latin1");
const OLE = Buffer.from("d0cf11e0a1b11ae1", "hex");

/** Why a file or a sheet of it cannot be read, in a sentence. */
export type SheetRefusal = { refused: string; field: "file" | "sheet" };

/** Reads a sheet of an .xlsx file: the one of a name without outer blanks, or the first visible one that has a header and a row. */
export async function readSheet(
  bytes: Uint8Array,
  named?: string,
): Promise<SpreadsheetRows | SheetRefusal> {
  try {
    assertXlsx(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
    const archive = await openArchive(bytes);
    const book = await openWorkbook(archive);
    const sheets = book.sheets.map(({ name }) => name);
    const candidates = book.sheets.filter(
      ({ name }) => named === undefined || name.trim() === named,
    );
    if (candidates.length === 0 && named !== undefined)
      return { refused: "The selected sheet is invalid.", field: "sheet" };
    let first: SpreadsheetRows | undefined;
    for (const sheet of candidates) {
      const found = { sheet: sheet.name, sheets, ...(await readRows(archive, book, sheet)) };
      // A line alone is a note: a table has a header and a row.
      if (found.rows.length > 1 || named !== undefined) return found;
      if (found.rows.length > 0) first ??= found;
    }
    return first ?? { refused: "The file has no visible sheet with rows.", field: "file" };
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    return { refused: error.message, field: "file" };
  }
}

function assertXlsx(bytes: Buffer): void {
  if (bytes.subarray(0, 4).equals(ZIP)) return;
  if (!bytes.subarray(0, 8).equals(OLE)) throw damaged();
  // An encrypted .xlsx is wrapped in the container that .xls files are.
  if (bytes.includes(Buffer.from("EncryptedPackage", "utf16le"))) throw locked();
  throw new Unreadable(
    "The file is an old spreadsheet (.xls). Open it in your spreadsheet program and save it as .xlsx.",
  );
}
