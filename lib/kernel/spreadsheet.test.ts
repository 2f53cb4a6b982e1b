import { parse } from "csv-parse/sync";
import { stringify } from "csv-stringify/sync";
import fc from "fast-check";
import { expect, test } from "vitest";
import { writeCsv } from "@/lib/client/csv";
import { cellText, harmlessCell } from "./spreadsheet";

const formula = /^[=+\-@\uff1d\uff0b\uff0d\uff20]/;
const text = fc
  .array(fc.constantFrom(..."=+-@;,\t\r\n\" '|a1\uff1d"), { maxLength: 12 })
  .map((signs) => signs.join(""));

test.each(["=1+1", "a;=1+1", ";=1+1", "a\t=1+1", "a\n=1+1", 'a;"=1+1"', "a; =1+1", "＝1+1"])(
  "%j is no formula, whatever splits it",
  (cell) => {
    for (const piece of harmlessCell(cell).split(/[;\t\r\n]/))
      expect(piece.replace(/^[\s"]+/, "")).not.toMatch(formula);
  },
);

test.each(["Tea; 2 cups", "a=b", "a, -b", "12-34", "ana@example.com", "x; y"])(
  "%j stays as it is",
  (cell) => expect(harmlessCell(cell)).toBe(cell),
);

test("a line of CSV holds no formula for a program that splits at semicolons, tabs or line ends and knows no quotes", () => {
  fc.assert(
    fc.property(text, text, (one, two) => {
      const cells = [one, two].map(harmlessCell);
      for (const csv of [stringify([["id", ...cells]]), writeCsv([["id", one, two]])])
        for (const piece of csv.split(/[;\t\r\n]/))
          expect(piece.replace(/^[\s"]+/, "")).not.toMatch(formula);
    }),
    { numRuns: 500 },
  );
});

test("a program that splits at commas and knows quotes finds no formula either", () => {
  fc.assert(
    fc.property(text, (one) => {
      const [cells] = parse(writeCsv([["id", one, "end"]])) as string[][];
      expect(cells?.[1]).toBe(harmlessCell(one));
      expect(cells?.[1]?.replace(/^[\s"]+/, "")).not.toMatch(formula);
    }),
  );
});

test("an apostrophe goes after each separator that has blanks and quotes alone between it and a formula", () => {
  const begins = String.raw`(?=[\s"]*[=+\-@\uff1d\uff0b\uff0d\uff20])`;
  const separators = new RegExp(`[;\\t\\r\\n]${begins}`, "g");
  const start = new RegExp(`^(?:${begins}|(?=[\\t\\r]))`);
  fc.assert(
    fc.property(text, (one) => {
      expect(harmlessCell(one)).toBe(one.replace(separators, "$&'").replace(start, "'"));
    }),
    { numRuns: 2_000 },
  );
});

test.each(["-A1", "+60 12-345 6789", "=a;=b", "\t=1", "\u2019s; -10%", "a; @b\n+c"])(
  "%j comes back from an export as it was",
  (one) => {
    expect(harmlessCell(one)).not.toBe(one);
    expect(cellText(harmlessCell(one))).toBe(one);
  },
);

test.each(["'A1", "a'b", "'", "''", "don't; 'quoted'", "a;'b", "'a;'=1", "-A1"])(
  "%j stays as it is",
  (cell) => expect(cellText(cell)).toBe(cell),
);

test("every text without apostrophes comes back from an export, and any other as a text with the same cell", () => {
  fc.assert(
    fc.property(text, (one) => {
      const plain = one.replaceAll("'", "");
      expect(cellText(harmlessCell(plain))).toBe(plain);
      expect(harmlessCell(cellText(harmlessCell(one)))).toBe(harmlessCell(one));
    }),
    { numRuns: 2_000 },
  );
});

test("taking the apostrophes away gives the text back", () => {
  fc.assert(
    fc.property(text, (one) => {
      expect(harmlessCell(one).replaceAll("'", "")).toBe(one.replaceAll("'", ""));
    }),
  );
});
