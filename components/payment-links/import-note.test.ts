import { expect, test } from "vitest";
import { noteOf } from "./import-note";

const table = {
  name: "links.csv",
  lines: [
    ["E-Mail", "Title", "Amount"],
    ["ana@example.com", "Trip", "12,50"],
  ],
  numbers: [1, 2],
};
const matching = {
  header: 0,
  fields: ["email", "title", "amount_decimal"] as const,
  fixed: { currency: "EUR" },
};

test("an import names the encoding that was assumed, beside what it leaves out", () => {
  expect(noteOf(table, matching)).toBeUndefined();
  const assumed = { ...table, encoding: "Windows-1252" } as const;
  expect(noteOf(assumed, matching)).toBe("Read as Windows-1252: check letters such as ü");
  const fields = ["email", "", "amount_decimal"] as const;
  expect(noteOf(assumed, { ...matching, fields })).toBe(
    "Read as Windows-1252: check letters such as ü · Column “Title” is left out",
  );
});
