import { expect, test } from "vitest";
import type { Table } from "@/lib/client/read-table";
import { guessMatching } from "./import-columns";
import { importOf } from "./import-file";

const names = ["email", "title", "currency", "amount_decimal", "send_email", "Class"];
const row = (name: string, ...others: string[]) => [
  `${name}@example.com`,
  "Violin",
  "MYR",
  "5.00",
  ...others,
];
const lines = [
  names,
  row("ana", "false", "3A"),
  row("bo", "", ""),
  row("cy", "", ""),
  row("di", "", "3B"),
];
const { matching } = guessMatching(lines, () => undefined, "MYR");

/** What is wrong with each row, where these columns are merged over the rows 2 to 4 of the spreadsheet. */
function faultsOf(...columns: [first: number, last: number][]): (string | undefined)[] {
  const merged: Table["merged"] = columns.map(([first, last]) => ({
    first_row: 2,
    last_row: 4,
    first_column: first,
    last_column: last,
  }));
  const table = { name: "links.xlsx", lines, numbers: [1, 2, 3, 4, 5], merged };
  const file = importOf(table, matching, "Asia/Kuala_Lumpur");
  if (typeof file === "string") throw new Error(file);
  return file.rows.map(({ unreadable }) => unreadable);
}

test("a row without the text of a merged cell is reported, so that no default counts in its place", () => {
  const fault =
    "Its cell for “Send the link by e-mail” is merged with the one above. Unmerge the cells in your spreadsheet program and fill each of them.";
  expect(faultsOf([5, 5])).toEqual([undefined, fault, fault, undefined]);
  const [, first] = faultsOf([6, 6], [4, 6]);
  expect(first).toMatch(/“Amount” is merged/);
});

test("a merged column that is left out is no mistake", () => {
  expect(matching.fields[5]).toBe("");
  const nothing = Array(4).fill(undefined);
  expect([faultsOf([6, 6]), faultsOf()]).toEqual([nothing, nothing]);
});
