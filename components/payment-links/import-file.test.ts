import { expect, test } from "vitest";
import { mistakesOf, readImport } from "./import-file";

const rowOf = (text: string) => {
  const read = readImport("links.csv", text);
  if (typeof read === "string") throw new Error(read);
  return read.rows[0];
};

test("columns may have the names that people give them, and amounts the decimals that they write", () => {
  const files = [
    "E-mail,Title,Currency,amount_decimal\nana@example.com,Violin,EUR,12.50\n",
    "E-Mail Address;title;CURRENCY;Amount decimal\nana@example.com;Violin;EUR;12,50\n",
    "\ufeffemail\ttitle\tcurrency\tamount decimal\nana@example.com\tViolin\tEUR\t€ 12,50\n",
  ];
  for (const text of files)
    expect(rowOf(text)?.fields, text).toMatchObject({
      email: "ana@example.com",
      title: "Violin",
      currency: "EUR",
      amount: 1_250,
    });
});

test("a spreadsheet in its own format is named as such", () => {
  expect(readImport("links.xlsx", "PK\u0003\u0004\u0014\u0000")).toMatch(/Save it as CSV/);
});

test("what is wrong with a row is said in words of the screen", () => {
  const source = rowOf("email,title,currency,amount_decimal\nana,Violin,MYR,3.00\n");
  const errors = {
    email: ["The email must be a valid email address."],
    amount: ["The amount must be at least 500."],
  };
  expect(mistakesOf({ errors }, source)).toEqual([
    "E-mail must be a valid e-mail address.",
    "Amount must be at least MYR 5.00.",
  ]);
});
