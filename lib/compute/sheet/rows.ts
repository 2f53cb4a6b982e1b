import type { SpreadsheetRows } from "@/lib/contract/spreadsheets";
import { sheetLimits } from "@/lib/contract/values";
import { cellText } from "@/lib/kernel/spreadsheet";
import type { Archive } from "./archive";
import { type Shown, shownText } from "./numbers";
import { damaged, tooMuch, Unreadable } from "./unreadable";
import { isTrue, richText, type Sheet, type Workbook } from "./workbook";
import { visitXml } from "./xml";

const MAX_CELLS = 250_000;
const MAX_CHARACTERS = 4 * 1024 * 1024;
const MAX_MERGED = 20_000;
/** What a spreadsheet program lets a cell hold. */
const MAX_CELL_CHARACTERS = 32_767;

export type Rows = Omit<SpreadsheetRows, "sheet" | "sheets">;

type Cell = { at: number; name: string; type: string; style: Shown; formula: boolean };

const PLAIN: Shown = { as: "number" };

/** The rows of a sheet as texts, equally wide, without blank and hidden ones. Throws Unreadable. */
export async function readRows(archive: Archive, book: Workbook, sheet: Sheet): Promise<Rows> {
  const rows: string[][] = [];
  const numbers: number[] = [];
  /** Those of every row by its number, also of hidden ones. */
  const texts = new Map<number, string[]>();
  const merged: Rows["merged_cells"] = [];
  let number = 0;
  const rich = richText();
  let row: string[] = [];
  let hidden = 0;
  let [rowHidden, filled, next] = [false, false, 0];
  let [cells, characters] = [0, 0];
  let cell: Cell | undefined;
  let stored = "";
  let inValue = false;

  const keep = (text: string, at: number) => {
    if (text === "") return;
    filled = true;
    characters += text.length;
    if (text.length > MAX_CELL_CHARACTERS || characters > MAX_CHARACTERS || ++cells > MAX_CELLS)
      throw tooMuch();
    if (at >= sheetLimits.columns)
      throw new Unreadable(
        `The sheet “${sheet.name}” has more than ${sheetLimits.columns} columns.`,
      );
    row[at] = text;
  };

  await visitXml(archive, sheet.part, {
    open: (tag, attributes) => {
      if (tag === "row") {
        row = [];
        number = numberOf(attributes.r, number);
        [rowHidden, filled, next] = [isTrue(attributes.hidden), false, 0];
      } else if (tag === "c") {
        const at = attributes.r === undefined ? next : columnOf(attributes.r);
        next = at + 1;
        cell = {
          at,
          name: attributes.r ?? "",
          type: attributes.t ?? "n",
          style: book.styles[Number(attributes.s ?? 0)] ?? PLAIN,
          formula: false,
        };
        stored = "";
        rich.start();
      } else if (cell && tag === "f") cell.formula = true;
      else if (cell && tag === "v") inValue = true;
      else if (tag === "mergeCell") {
        // The sheet's rows come first.
        const found = mergedOver(attributes.ref ?? "", texts);
        if (found && merged.push(found) > MAX_MERGED) throw tooMuch();
      } else rich.open(tag);
    },
    text: (text) => {
      if (inValue) stored += text;
      else rich.text(text);
    },
    close: (tag) => {
      if (tag === "v") inValue = false;
      else if (tag === "c" && cell) {
        const text = cell.type === "inlineStr" ? rich.take() : textOf(cell, stored, book);
        keep(cellText(text.trim()), cell.at);
        cell = undefined;
      } else if (tag === "row" && filled) {
        texts.set(number, row);
        if (rowHidden) hidden++;
        else if (rows.push(row) > sheetLimits.rows)
          throw new Unreadable(
            `The sheet “${sheet.name}” has more than ${sheetLimits.rows.toLocaleString("en-GB")} rows. Split it into several files.`,
          );
        else numbers.push(number);
      } else rich.close(tag);
    },
  });
  return {
    rows: equallyWide(rows),
    row_numbers: numbers,
    hidden_rows: hidden,
    merged_cells: merged,
  };
}

/** What a cell shows. Of a formula that is what the spreadsheet program calculated last. */
function textOf({ type, style, formula, name }: Cell, stored: string, book: Workbook): string {
  if (formula && stored === "" && type !== "str")
    throw new Unreadable(
      `The cell ${name} has a formula without a result. Open the file in your spreadsheet program, save it there, then choose it again.`,
    );
  switch (type) {
    case "s": {
      const text = stored === "" ? "" : book.strings[Number(stored)];
      if (text === undefined) throw damaged();
      return text;
    }
    case "b":
      return stored === "" ? "" : isTrue(stored) ? "true" : "false";
    case "n":
      return stored.trim() === "" ? "" : shownText(stored, style, book.from1904);
    // "str" is the text of a formula, "d" a day or moment in ISO 8601, "e" an error such as #N/A.
    default:
      return stored;
  }
}

/** The number that a row has in its sheet; a row without one follows the row before. */
function numberOf(written: string | undefined, before: number): number {
  if (written === undefined) return before + 1;
  if (!/^\d{1,7}$/.test(written)) throw damaged();
  return Number(written);
}

/** "C12" is column 2. */
function columnOf(name: string): number {
  const letters = /^\$?([A-Z]{1,3})\$?\d{1,7}$/.exec(name)?.[1];
  if (letters === undefined) throw damaged();
  let column = 0;
  for (const letter of letters) column = column * 26 + letter.charCodeAt(0) - 64;
  return column - 1;
}

/** The cells of a merge over several rows, such as "B2:B11", where its first cell has a text. */
function mergedOver(
  name: string,
  texts: ReadonlyMap<number, readonly string[]>,
): Rows["merged_cells"][number] | undefined {
  const [from = "", to = from] = name.split(":");
  const [firstColumn, lastColumn] = [columnOf(from), columnOf(to)];
  const [firstRow, lastRow] = [from, to].map((cell) => Number(/\d+$/.exec(cell)?.[0]));
  if (firstRow === undefined || lastRow === undefined) throw damaged();
  if (lastRow === firstRow || !texts.get(firstRow)?.[firstColumn]) return undefined;
  return {
    first_row: firstRow,
    last_row: lastRow,
    first_column: firstColumn + 1,
    last_column: lastColumn + 1,
  };
}

function equallyWide(rows: string[][]): string[][] {
  const width = rows.reduce((widest, row) => Math.max(widest, row.length), 0);
  return rows.map((row) => Array.from({ length: width }, (_, at) => row[at] ?? ""));
}
