import { describe, expect, it } from "vitest";
import { writeCsv } from "./csv";
import { readCsv } from "./read-csv";

describe("writing CSV", () => {
  it("comes back as it was", () => {
    const lines = [
      ["a", "b"],
      ['say "hi", now', "two\nlines"],
      ["-A1", "+60 12-345 6789"],
    ];
    expect(readCsv(writeCsv(lines))).toMatchObject({ lines });
  });
  it("makes no formulas", () => {
    expect(writeCsv([["=1+1", "@x", -5, null]])).toBe("'=1+1,'@x,-5,\r\n");
  });
});
