import { describe, expect, it } from "vitest";
import { readCsv, writeCsv } from "./csv";

describe("reading CSV", () => {
  it("takes quoted cells with separators, quotes and line breaks in them", () => {
    expect(readCsv('title,note\r\n"Tea, green","He said ""no""\nand left"\r\n')).toEqual([
      ["title", "note"],
      ["Tea, green", 'He said "no"\nand left'],
    ]);
  });
  it("drops a byte order mark and blank lines", () => {
    expect(readCsv("\uFEFFa,b\n\n1,2\n,\n")).toEqual([
      ["a", "b"],
      ["1", "2"],
    ]);
  });
  it("takes the semicolons and tabs that spreadsheets write elsewhere", () => {
    expect(readCsv("a;b\n1,5;2")).toEqual([
      ["a", "b"],
      ["1,5", "2"],
    ]);
    expect(readCsv("a\tb\n1\t2")).toEqual([
      ["a", "b"],
      ["1", "2"],
    ]);
  });
  it("gives nothing for nothing", () => {
    expect(readCsv("")).toEqual([]);
  });
});

describe("writing CSV", () => {
  it("comes back as it was", () => {
    const lines = [
      ["a", "b"],
      ['say "hi", now', "two\nlines"],
    ];
    expect(readCsv(writeCsv(lines))).toEqual(lines);
  });
  it("makes no formulas", () => {
    expect(writeCsv([["=1+1", "@x", -5, null]])).toBe("'=1+1,'@x,-5,\r\n");
  });
});
