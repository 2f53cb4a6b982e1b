import { expect, test } from "vitest";
import { guessAt, valuesOf } from "./import-columns";

/** A file of many rows that counts how often one of them is read. */
function counted(rows: readonly (readonly string[])[]) {
  let reads = 0;
  const lines = new Proxy(rows, {
    get(target, name) {
      if (typeof name === "string" && /^\d+$/.test(name)) reads += 1;
      return Reflect.get(target, name);
    },
  });
  return { lines, reads: () => reads };
}
const header = ["Email", "Phone"];
const rowsWith = (phone: (at: number) => string) =>
  Array.from({ length: 5_000 }, (_, at) => [`ana${at}@example.com`, phone(at)]);

test("the first texts of a column are found without the rows after them", () => {
  const { lines, reads } = counted([header, ...rowsWith((at) => (at % 2 ? `+60 ${at}` : ""))]);
  const phones = Array.from({ length: 20 }, (_, at) => `+60 ${at * 2 + 1}`);
  expect(valuesOf(lines, 0, 1)).toEqual(phones);
  expect(reads()).toBe(40);
});

test("a column without texts is read once, however often the page asks for it", () => {
  const { lines, reads } = counted([header, ...rowsWith(() => "")]);
  for (let times = 0; times < 10; times++) expect(valuesOf(lines, 0, 1)).toEqual([]);
  expect(reads()).toBe(5_000);
  expect(valuesOf(lines, -1, 1)).toEqual(["Phone"]);
  expect(valuesOf(counted([header, ["a@example.com", "+60 1"]]).lines, 0, 1)).toEqual(["+60 1"]);
});

test("a column that is called after payers and holds addresses or numbers is not taken for names", () => {
  const addresses = [
    ["Customer", "Amount"],
    ["ana@example.com", "12.50"],
  ];
  expect(guessAt(addresses, 0).matching.fields).toEqual(["email", "amount_decimal"]);
  const numbers = [
    ["E-mail", "Title", "Currency", "Amount", "Client"],
    ["ana@example.com", "Trip", "MYR", "12.50", "C-1042"],
  ];
  const { matching, sure } = guessAt(numbers, 0);
  expect([matching.fields.at(-1), sure]).toEqual(["", false]);
});

test.each(["Name", "Child", "Parent's name", "Student", "Nama", "Nama pelanggan", "Payer’s name"])(
  "a column %s holds the names of payers",
  (name) => {
    const lines = [
      ["E-mail", name, "Student no"],
      ["ana@example.com", "Siti Bakar", "S2001"],
    ];
    expect(guessAt(lines, 0).matching.fields).toEqual(["email", "customer_name", ""]);
  },
);

test.each([
  ["Total (all)", "MYR", "ALL", false],
  ["TOTAL ALL", "MYR", "ALL", false],
  ["Amount (top)", undefined, "TOP", false],
  ["Amount (USD)", "MYR", "USD", false],
  ["Amount (USD)", "USD", "USD", true],
  ["AMOUNT RM", "MYR", "MYR", true],
  ["Total in rm", "SGD", "MYR", true],
])(
  "a column %s of a business with %s gives the currency %s, without a question: %s",
  (name, own, currency, sure) => {
    const lines = [
      ["E-mail", "Title", name],
      ["ana@example.com", "Trip", "125.50"],
    ];
    const guess = guessAt(lines, 0, own);
    expect([guess.matching.fixed, guess.sure]).toEqual([{ currency }, sure]);
  },
);
