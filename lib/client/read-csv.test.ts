import { expect, test } from "vitest";
import { csvRows } from "@/lib/http/csv";
import { readCsv } from "./read-csv";

/** What the API makes of the same text, as lines. */
function byTheApi(text: string): string[][] | string {
  try {
    const rows = csvRows(text);
    return [Object.keys(rows[0] ?? {}), ...rows.map((row) => Object.values(row))];
  } catch (error) {
    return (error as Error).message;
  }
}

test.each([
  [
    "quoted cells with separators, quotes and line breaks in them",
    'title,note\r\n"Tea, green","He said ""no""\nand left"\r\n',
    [
      ["title", "note"],
      ["Tea, green", 'He said "no"\nand left'],
    ],
  ],
  [
    "a byte order mark and blank lines",
    "\uFEFFa,b\n\n1,2\n,\n",
    [
      ["a", "b"],
      ["1", "2"],
    ],
  ],
  [
    "semicolons",
    "a;b\n1,5;2",
    [
      ["a", "b"],
      ["1,5", "2"],
    ],
  ],
  [
    "tabs, also around cells that are empty",
    "a\tb\tc\n1\t\t2",
    [
      ["a", "b", "c"],
      ["1", "", "2"],
    ],
  ],
  [
    "the apostrophes that our exports write before formulas, and others",
    "a,b\n'-A1,'A1\n\"'=1;'+2\",'",
    [
      ["a", "b"],
      ["-A1", "'A1"],
      ["=1;+2", "'"],
    ],
  ],
  [
    "blanks around cells",
    "a, b\n 1 ,\t2 ",
    [
      ["a", "b"],
      ["1", "2"],
    ],
  ],
])("%s are read in the browser as by the API", (_, text, lines) => {
  expect(readCsv(text)).toMatchObject({ lines });
  expect(byTheApi(text)).toEqual(lines);
});

test("a line has the number that it has in a spreadsheet program, which counts blank lines and no line breaks in cells", () => {
  expect(readCsv('a,b\r\n\r\n"1\n2",3\r\n,\r\n4,5\r\n')).toEqual({
    lines: [
      ["a", "b"],
      ["1\n2", "3"],
      ["4", "5"],
    ],
    numbers: [1, 3, 5],
  });
});

test("nothing has no lines", () => {
  expect(readCsv("")).toEqual({ lines: [], numbers: [] });
});

test("a quote that is never closed is refused by both", () => {
  const text = 'a,b\n1,"2\n3,4\n';
  expect(readCsv(text)).toMatch(/^Line \d of the file is not valid CSV/);
  expect(byTheApi(text)).toBe("The request body is not valid CSV.");
});

const named = (title: string) => `${title}E-Mail;Title;Amount\na@b.de;Trip;12,50`;
const rows = [
  ["E-Mail", "Title", "Amount"],
  ["a@b.de", "Trip", "12,50"],
];

test.each([
  ["Trip May\n", ["Trip May"]],
  ["Trip, May 2026, Berlin\n", ["Trip, May 2026, Berlin"]],
  ['"Trip, May, 2026"\n\n', ["Trip, May, 2026"]],
  ["Trip, May, 2026;;\n", ["Trip, May, 2026", "", ""]],
])("below the title %j, columns are split as the header splits them", (title, cells) => {
  expect(readCsv(named(title))).toMatchObject({ lines: [cells, ...rows] });
});

test.each([
  ["commas, though the texts have more semicolons", "a,b\n1,x; y; z\n2,x; y; z\n", ["a", "b"]],
  ["semicolons, though the amounts have commas", "a;b\n1,5;2,5\n1,5;2,5\n", ["a", "b"]],
  ["commas, though the names in quotes have semicolons", '"a; b; c",d\n1,2\n', ["a; b; c", "d"]],
])("a header in the first line is split at its %s", (_, text, header) => {
  const table = readCsv(text);
  if (typeof table === "string") throw new Error(table);
  expect(table.lines[0]).toEqual(header);
  expect(new Set(table.lines.map((cells) => cells.length))).toEqual(new Set([2]));
});

test("the API takes the header from the first line alone", () => {
  expect(byTheApi("a,b;c;d\n1,2;3;4")).toEqual([
    ["a,b", "c", "d"],
    ["1,2", "3", "4"],
  ]);
  expect(byTheApi("Trip May\nE-Mail;Title")).toEqual([["Trip May"], ["E-Mail;Title"]]);
});
