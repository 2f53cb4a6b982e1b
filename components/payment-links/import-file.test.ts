import { expect, test } from "vitest";
import { readCsv } from "@/lib/client/read-csv";
import { linkColumns } from "@/lib/domain/payment-links/columns";
import { exportHeader } from "@/lib/kernel/local-columns";
import { guessAt, guessMatching, headerKey, leftOutNames, readMatching } from "./import-columns";
import {
  type ImportFile,
  importOf,
  type Matching,
  mistakesOf,
  missingFields,
  sharedMistakes,
  template,
} from "./import-file";

const ZONE = "Asia/Kuala_Lumpur";
const tableOf = (text: string) => {
  const table = readCsv(text);
  if (typeof table === "string") throw new Error(table);
  return { name: "links.csv", ...table };
};
const linesOf = (text: string) => tableOf(text).lines;
const guess = (
  lines: ReturnType<typeof linesOf>,
  remembered: (key: string) => Matching | undefined = () => undefined,
) => guessMatching(lines, remembered, "MYR");
function read(text: string, matching?: Matching): ImportFile {
  const table = tableOf(text);
  const made = importOf(table, matching ?? guess(table.lines).matching, ZONE);
  if (typeof made === "string") throw new Error(made);
  return made;
}
const rowOf = (text: string, matching?: Matching) => read(text, matching).rows[0];

test("columns may have the names that people give them, and amounts the decimals that they write", () => {
  const files = [
    "E-mail,Title,Currency,amount_decimal\nana@example.com,Violin,EUR,12.50\n",
    "E-Mail Address;title;CURRENCY;Amount decimal\nana@example.com;Violin;eur;12,50\n",
    "\ufeffemail\ttitle\tcurrency\tamount decimal\nana@example.com\tViolin\tEUR\t€ 12,50\n",
    'email;title;currency;amount\nana@example.com;"Violin";EUR;12,50\n',
  ];
  for (const text of files) {
    expect(guess(linesOf(text)).sure, text).toBe(true);
    expect(rowOf(text)?.fields, text).toMatchObject({
      email: "ana@example.com",
      title: "Violin",
      currency: "EUR",
      amount: 1_250,
    });
  }
});

test("whole numbers under the name amount are asked about: they may be minor units", () => {
  const text = "email,title,currency,Amount\nana@example.com,Violin,MYR,1250\n";
  const { matching, sure } = guess(linesOf(text));
  expect([sure, missingFields(matching)]).toEqual([false, ["amount_decimal"]]);
  const as = (field: "amount" | "amount_decimal") =>
    rowOf(text, { ...matching, fields: [...matching.fields.slice(0, 3), field] });
  expect([as("amount")?.amount, as("amount")?.written]).toEqual(["MYR 12.50", "12.50"]);
  expect(as("amount_decimal")?.amount).toBe("MYR 1,250.00");
});

test("names that are not known are guessed by what is below them, and always asked about", () => {
  const lines = linesOf(
    "Klassenfahrt;;;\nEltern;Betreff;Betrag;Währung\nana@example.com;Fahrt;12,50;EUR\nbo@example.com;Fahrt;1.250,00;EUR\n",
  );
  expect(guess(lines)).toEqual({
    matching: {
      header: 1,
      fields: ["email", "", "amount_decimal", "currency"],
      fixed: {},
    },
    sure: false,
  });
});

test("a column that would be left out without a word is asked about, but none of our own exports", () => {
  const sure = (header: string) =>
    guess(linesOf(`${header}\nana@example.com,Violin,MYR,3.00,x\n`)).sure;
  expect(sure("email,title,currency,amount_decimal,Rechnung Nr.")).toBe(false);
  for (const own of ["payment_url", "overdue", "default_reminders", "integration_id"])
    expect([own, sure(`email,title,currency,amount_decimal,${own}`)]).toEqual([own, true]);
  expect(sure("email,title,currency,amount_decimal,E-mail")).toBe(false);
});

test("a file that our own export wrote is read without a question, and nothing is named as left out", () => {
  const cells = linkColumns.map((name) =>
    name === "email" ? "ana@example.com" : name === "amount_decimal" ? "3.00" : "x",
  );
  const lines = linesOf(`${linkColumns.join(",")}\n${cells.join(",")}\n`);
  const { matching, sure } = guess(lines);
  expect(sure).toBe(true);
  expect(leftOutNames(lines, matching)).toEqual([]);
});

test("what an import takes nothing of is named, but no empty column and none of our own exports", () => {
  const lines = linesOf(
    "email,title,currency,amount_decimal,Class,Bus,status,Seat\nana@example.com,Violin,EUR,12.50,3A,,Paid,7\n",
  );
  const { matching } = guess(lines);
  expect(leftOutNames(lines, matching)).toEqual(["Class", "Seat"]);
  const fields = matching.fields.map((field, at) => (at === 4 ? "reference" : field));
  expect(leftOutNames(lines, { ...matching, fields })).toEqual(["Seat"]);
});

test("an export of links is taken with all of its columns, without a question", () => {
  const moment = "2026-10-31T16:30:00.000000Z";
  const values: Record<string, string> = {
    ...{ email: "ana@example.com", title: "Violin", currency: "MYR", amount: "1250" },
    ...{ amount_decimal: "12.50", reminders: "due-1" },
  };
  const header = exportHeader(linkColumns, ZONE);
  const cells = header.map((name, at) => {
    const ofMoment = at < linkColumns.length ? moment : "2026-11-01 00:30:00";
    return values[name] ?? (name.includes("_at") ? ofMoment : "x");
  });
  const text = `${header.join()}\n${cells.join()}\n`;
  const { matching, sure } = guess(linesOf(text));
  expect([sure, leftOutNames(linesOf(text), matching)]).toEqual([true, []]);
  expect(rowOf(text)?.fields).toMatchObject({ amount: 1_250, due_at: moment, expires_at: moment });
});

test("a moment with a zone in its name is asked about where no moment in UTC is beside it", () => {
  const lines = linesOf(
    `email,title,currency,amount_decimal,due_at (${ZONE})\nana@example.com,Violin,MYR,12.50,2026-11-01 00:30:00\n`,
  );
  const { matching, sure } = guess(lines);
  expect([sure, leftOutNames(lines, matching)]).toEqual([false, [`due_at (${ZONE})`]]);
});

test("a file without names has none, and its columns are guessed", () => {
  const lines = linesOf("ana@example.com,Violin,MYR,3.50\nbo@example.com,Cello,MYR,4.00\n");
  const { matching, sure } = guess(lines);
  expect([matching.header, matching.fields, sure]).toEqual([
    -1,
    ["email", "", "currency", "amount_decimal"],
    false,
  ]);
  expect(headerKey(lines, matching.header)).toBe("");
});

test("what a person chose counts again for the same names, wherever they stand", () => {
  const names = "Emel;Perkara;Jumlah";
  const chosen: Matching = {
    header: 0,
    fields: ["email", "title", "amount_decimal"],
    fixed: { currency: "MYR" },
  };
  const key = headerKey(linesOf(names), 0);
  const known = (one: Matching) => (asked: string) =>
    asked === key ? readMatching(JSON.parse(JSON.stringify(one))) : undefined;
  const next = linesOf(`Disember;;\nEMEL;Perkara;Jumlah\nana@example.com;Yuran;12,50\n`);
  expect(guess(next, known(chosen))).toEqual({
    matching: { ...chosen, header: 1 },
    sure: true,
  });
  const titled: Matching = { ...chosen, fixed: { currency: "MYR", title: "November" } };
  expect(guess(next, known(titled)).sure).toBe(false);
  const dated = { currency: "MYR", send_email: "false", due_at: "12 Dec 2026", description: "Bus" };
  expect(guess(next, known({ ...chosen, fixed: { ...dated, title: "November" } }))).toEqual({
    matching: { ...chosen, header: 1, fixed: { currency: "MYR", send_email: "false" } },
    sure: false,
  });
  expect(readMatching({ fields: ["email", "gone"], fixed: { gone: "x" } })).toEqual({
    header: 0,
    fields: ["email", ""],
    fixed: {},
  });
  for (const broken of [null, 7, {}, { fields: "x", fixed: {} }])
    expect(readMatching(broken)).toBeUndefined();
});

test("what is the same for every row is in every row, and required fields without a column are named at once", () => {
  const matching = guessAt(linesOf("a,b\nana@example.com,x\n"), 0).matching;
  expect(missingFields(matching)).toEqual(["title", "currency", "amount_decimal"]);
  const file = read("Who,How much\nana@example.com,5\nbo@example.com,6\n", {
    header: 0,
    fields: ["email", "amount_decimal"],
    fixed: { currency: "myr", title: " Trip ", expires_at: "2027-01-31", send_email: "" },
  });
  expect(file.rows.map(({ fields }) => fields)).toEqual(
    [
      { email: "ana@example.com", amount: 500 },
      { email: "bo@example.com", amount: 600 },
    ].map((one) => ({
      ...one,
      currency: "MYR",
      title: "Trip",
      expires_at: "2027-01-31T15:59:59.999999Z",
    })),
  );
});

test("days and times are those of the business, unless the file names a zone", () => {
  const expiry = (text: string) =>
    rowOf(`email,title,currency,amount_decimal,expires\na@example.com,V,MYR,5.00,${text}\n`)?.fields
      .expires_at;
  expect(expiry("2027-01-31T12:30:00")).toBe("2027-01-31T04:30:00.000Z");
  expect(expiry("2027-01-31 12:30")).toBe("2027-01-31T04:30:00.000Z");
  for (const kept of ["2027-01-31T12:00:00Z", "soon"]) expect(expiry(kept)).toBe(kept);
  expect(expiry("")).toBeUndefined();
});

test("a file may hold no rows, too many, and rows of another width", () => {
  const head = "email,title,currency,amount_decimal";
  const text = (rows: number) => `${head}\n${"a@example.com,V,MYR,5.00\n".repeat(rows)}`;
  expect(() => read(text(0))).toThrow("The file has no rows below its header.");
  expect(() => read(text(5_001))).toThrow("The file has 5,001 rows; at most 5,000 go at once.");
  expect(rowOf(`${head}\na@example.com,V\n`)?.unreadable).toBe(
    "It has 2 cells where the header has 4.",
  );
});

test("a file with more text than a call takes is refused as such, and blank cells are no text", () => {
  const fields = [
    "email",
    "title",
    "currency",
    "amount_decimal",
    "description",
    "phone_no",
  ] as const;
  const ofText = (description: string) => {
    const row = ["a@example.com", "V", "MYR", "5.00", description, ""];
    const lines = [[...fields], ...Array.from({ length: 5_000 }, () => row)];
    const numbers = lines.map((_, at) => at + 1);
    const matching = { header: 0, fields, fixed: { redirect_url: "" } };
    return importOf({ name: "trip.csv", lines, numbers, merged: [] }, matching, ZONE);
  };
  expect(ofText("é".repeat(180))).toBe(
    "The file has too much text for one import. Split it into several files.",
  );
  const { rows } = ofText("é".repeat(150)) as ImportFile;
  expect(rows).toHaveLength(5_000);
  expect(rows[0]?.fields).not.toHaveProperty("phone_no");
  expect(rows[0]?.fields).not.toHaveProperty("redirect_url");
});

test("a row has its number in the spreadsheet: titles and blank lines above it count", () => {
  const file = read(
    "School trip,,,\n\nemail,title,currency,amount_decimal\nana@example.com,V,MYR,5.00\n\nbo@example.com,V,MYR,6.00\n",
  );
  expect(file.rows.map(({ number, email }) => [number, email])).toEqual([
    [4, "ana@example.com"],
    [6, "bo@example.com"],
  ]);
});

test("RM is ringgit, as a currency and in the name of an amount", () => {
  expect(
    rowOf("email,title,currency,amount\nana@example.com,Violin,RM,12.50\n")?.fields,
  ).toMatchObject({ currency: "MYR", amount: 1_250 });
  for (const name of ["Amount (RM)", "amount (MYR)", "Total (RM)", "Total in rm", "AMOUNT RM"]) {
    const text = `email,title,${name}\nana@example.com,Violin,1250\n`;
    expect(guess(linesOf(text)).sure, name).toBe(true);
    expect(rowOf(text)?.fields, name).toMatchObject({ currency: "MYR", amount: 125_000 });
  }
  expect(
    rowOf("email,title,currency,Total (RM)\nana@example.com,Violin,SGD,7\n")?.fields,
  ).toMatchObject({ currency: "SGD", amount: 700 });
});

test("a number of a sheet with three decimals is no amount of thousands in a currency that has none", () => {
  const row = rowOf("email,title,currency,amount_decimal\na@example.com,Violin,JPY,33.125\n");
  expect(row?.fields.amount).toBe("33.125");
  expect(row?.noAmount).toBe("An amount of JPY has no decimals: write 33125, or 33.");
});

test("two columns that may be the amount are asked about, and so is one of no currency", () => {
  const sure = (names: string, cells: string) =>
    guess(linesOf(`email,title,${names}\nana@example.com,Violin,${cells}\n`)).sure;
  expect(sure("Amount (RM),Total (RM)", "5.00,6.00")).toBe(false);
  expect(sure("currency,Amount (no)", "MYR,5.00")).toBe(false);
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

const dates = (...written: string[]) =>
  read(
    `email,title,currency,amount,due\n${written.map((text) => `ana@example.com,Violin,MYR,12.50,"${text}"\n`).join("")}`,
  ).rows;
const dueOf = (...written: string[]) => dates(...written).map(({ fields }) => fields.due_at);

test("dates are read as people write them, and a day alone counts to its end in the business's zone", () => {
  const end = "2026-12-15T15:59:59.999999Z";
  for (const text of [
    "15/12/2026",
    "15.12.26",
    "15-12-2026",
    "15 Dec 2026",
    "Tue 15 December 2026",
    "2026-12-15",
  ])
    expect(dueOf(text), text).toEqual([end]);
  expect(dueOf("15/12/2026 6pm", "2026-12-15 18:00", "2026-12-15T10:00:00Z")).toEqual([
    "2026-12-15T10:00:00.000Z",
    "2026-12-15T10:00:00.000Z",
    "2026-12-15T10:00:00Z",
  ]);
  expect(dates("15/12/2026", "")[0]?.moments).toEqual(["Due 15 Dec 2026, 23:59"]);
  expect(dates("15/12/2026", "")[1]).toMatchObject({ moments: [] });
});

test("a column has one order of day and month: what one row proves holds for the others", () => {
  const days = (...written: string[]) =>
    dueOf(...written).map((moment) => String(moment).slice(0, 10));
  expect(days("03/04/2026", "25/04/2026")).toEqual(["2026-04-03", "2026-04-25"]);
  expect(days("04/03/2026", "04/25/2026")).toEqual(["2026-04-03", "2026-04-25"]);
});

test("the template is read as it was meant after Excel has saved it", () => {
  const saved = (flag: string) => rowOf(template.replace(",no,", `,${flag},`))?.fields;
  expect(saved("FALSE")).toEqual({
    email: "ana@example.com",
    title: "Invoice 1042",
    currency: "MYR",
    amount: 12_550,
    reference: "INV-1042",
    send_email: "false",
  });
  for (const [flag, read] of [
    ["TRUE", "true"],
    ["No", "false"],
    ["yes", "true"],
    ["0", "0"],
  ] as const)
    expect(saved(flag)?.send_email).toBe(read);
  expect(saved("")).not.toHaveProperty("send_email");
});

test("reminders that are written otherwise are refused with how to write them", () => {
  const source = { ...dates("2027-01-15")[0], fields: { reminders: "tomorrow" } } as never;
  const errors = { reminders: ["The reminders must be an array."] };
  expect(mistakesOf({ errors }, source)).toEqual([
    "Write reminders as created+3, 3 days after it is created, or due-1, a day before it is due. Put spaces between several. “none” is none.",
  ]);
});

test("a date that could be two days, or is none, is refused with how to write it", () => {
  // The locale of this viewer writes the month first, and people where the business is do not.
  for (const text of ["03/04/2026", "soon", "31/02/2026"]) {
    const [row] = dates(text);
    expect(row).toMatchObject({ moments: [], fields: { due_at: text } });
    const errors = { due_at: ["The due at is not a valid date."] };
    expect(mistakesOf({ errors }, row)).toEqual([
      "Due is not a valid date. Write it as 2027-01-15 or 15 Jan 2027.",
    ]);
  }
});

test("a mistake of every row is named once, and one that some rows lack is not", () => {
  const file = read(
    "email,title,currency,amount_decimal\nana@example.com,Violin,MYR,12.50\nbo@example.com,Cello,MYR,9.00\n",
  );
  const rows = (...errors: Record<string, string[]>[]) => ({
    rows: errors.map((each, at) => ({ row: at + 1, errors: each })) as never,
  });
  const wrong = { currency: ["The selected currency is invalid."] };
  const both = { ...wrong, email: ["The email field must be a valid email address."] };
  expect(sharedMistakes(file, rows(wrong, both))).toEqual(mistakesOf({ errors: wrong }, undefined));
  expect(sharedMistakes(file, rows(wrong, {}))).toEqual([]);
  expect(sharedMistakes(file, rows(wrong))).toEqual([]);
});
