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
