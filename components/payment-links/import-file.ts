import { inFormWords, inMoneyWords } from "@/components/form/error-words";
import { fieldLabel } from "@/components/record/changes";
import { amountProblem, minorFrom } from "@/lib/client/amounts";
import { writeCsv } from "@/lib/client/csv";
import type { Table } from "@/lib/client/read-table";
import { absoluteTime } from "@/lib/client/times";
import { columnReader } from "@/lib/client/written-dates";
import type { BulkReport, BulkRow, BulkRowInput } from "@/lib/contract/bulk";
import { remindersFrom } from "@/lib/contract/reminder-text";
import { bulkLimits } from "@/lib/contract/values";
import { currencyDigits } from "@/lib/kernel/currencies";
import { decimalAmount, displayAmount } from "@/lib/kernel/money";
import { mergedFault } from "./merged-cells";

/** A row of the file as it is sent, with what the screen shows of it. `unreadable` says why its cells cannot be read, `noAmount` what is wrong with its amount. */
export type ImportRow = {
  /** Its number in the spreadsheet, where the header is usually 1. Calls of the API count only the rows that they send. */
  number: number;
  fields: Record<string, unknown>;
  title: string;
  email: string;
  reference: string;
  /** The payer's. */
  name: string;
  description: string;
  /** What was read from its dates, such as "Due 15 Jan 2027, 23:59" in the business's zone. */
  moments: string[];
  /** The amount in the file, with decimals. */
  written: string;
  amount: string;
  unreadable?: string;
  noAmount?: string;
};

/** `note` says what of a file is taken and what is left out. */
export type ImportFile = { name: string; note?: string | undefined; rows: ImportRow[] };

type Column = {
  text: string;
  example: string;
  required?: true;
  /** One value for every row makes sense. */
  shared?: true;
  /** A day alone counts to its end, in the business's time zone. */
  moment?: true;
};

/** The columns of a file, in the order of its template. The amount is written as people write it. */
const columns: Record<Exclude<keyof BulkRowInput, "amount"> | "amount_decimal", Column> = {
  email: { text: "The payer’s e-mail address", example: "ana@example.com", required: true },
  customer_name: {
    text: "Who pays, or for whom: the customer gets this name. One that has a name keeps it",
    example: "",
  },
  title: {
    text: "What the payer reads first",
    example: "Invoice 1042",
    required: true,
    shared: true,
  },
  currency: {
    text: "Three letters, such as MYR, or RM",
    example: "MYR",
    required: true,
    shared: true,
  },
  amount_decimal: {
    text: "With or without decimals: 12.50, 1,250.00 or 40",
    example: "125.50",
    required: true,
  },
  reference: {
    text: "With it, the same row is not created twice. One for each bill is best, such as TRIP2-S2001",
    example: "INV-1042",
  },
  reference_2: { text: "A second reference", example: "" },
  description: { text: "Free text", example: "", shared: true },
  phone_no: { text: "The payer’s phone number", example: "" },
  send_email: { text: "“no”: the payer gets no e-mail", example: "no", shared: true },
  due_at: {
    text: "When it is due, such as 15 Jan 2027 or 15/01/2027",
    example: "",
    shared: true,
    moment: true,
  },
  reminders: {
    text: "created+3: 3 days after it is created. due-1: a day before it is due. due+7: a week after. Several with spaces between; “none”: no reminders",
    example: "",
    shared: true,
  },
  expires_at: {
    text: "Until when it can be paid, such as 31 Jan 2027 or 31/01/2027 6pm",
    example: "",
    shared: true,
    moment: true,
  },
  redirect_url: { text: "Where the payer goes after paying", example: "" },
};

export const importColumns: readonly (Column & { name: string })[] = Object.entries(columns).map(
  ([name, column]) => ({ name, ...column }),
);

export const template = writeCsv([
  importColumns.map(({ name }) => name),
  importColumns.map(({ example }) => example),
]);

/** The ISO code of a currency as people write it: Malaysians write RM. */
export function currencyOf(text: string): string {
  const code = text.toUpperCase();
  return code === "RM" ? "MYR" : code;
}

/** Yes or no as the API takes it: Excel saves `false` as FALSE. */
function flagOf(text: string): string {
  const word = text.toLowerCase();
  return { yes: "true", no: "false" }[word] ?? word;
}

/** What a column of the file can be: a field, or the amount in minor units. */
export type FieldName = keyof typeof columns | "amount";
export const isField = (name: string): name is FieldName => name === "amount" || name in columns;

/** Which column of a table is which field. `header` is the row with their names, -1 without one; "" leaves a column out. */
export type Matching = {
  header: number;
  fields: readonly (FieldName | "")[];
  /** Values that every row has. */
  fixed: Partial<Record<FieldName, string>>;
};

/** What people read for a field. */
export const columnLabel = (name: FieldName): string =>
  name === "amount_decimal"
    ? "Amount"
    : name === "amount"
      ? "Amount without its decimal point: 1250 for 12.50"
      : fieldLabel(name);

/** Required fields without a column and without a fixed value. */
export function missingFields({ fields, fixed }: Matching): FieldName[] {
  const has = (name: FieldName) => fields.includes(name) || Boolean(fixed[name]?.trim());
  return importColumns.flatMap(({ name, required }) =>
    required && isField(name) && !has(name) && !(name === "amount_decimal" && has("amount"))
      ? [name]
      : [],
  );
}

type Lines = readonly (readonly string[])[];

/** The rows of a table as they are sent. A text says what is wrong with it as a whole. */
export function importOf(
  { name, lines, numbers, merged }: Pick<Table, "name" | "lines" | "numbers" | "merged">,
  matching: Matching,
  timeZone: string,
): ImportFile | string {
  const rows = lines.slice(matching.header + 1);
  if (rows.length === 0) return "The file has no rows below its header.";
  if (rows.length > bulkLimits.rows)
    return `The file has ${rows.length.toLocaleString("en-GB")} rows; at most ${bulkLimits.rows.toLocaleString("en-GB")} go at once.`;
  const readers = readersOf(rows, matching, timeZone);
  const width = lines[matching.header]?.length ?? Math.max(...rows.map((cells) => cells.length));
  const read = rows.map((cells, index) => {
    const number = numbers[matching.header + 1 + index] ?? 0;
    const fault =
      matching.header >= 0 && cells.length !== width
        ? `It has ${cells.length} cells where the header has ${width}.`
        : mergedFault(number, matching.fields, merged);
    return fault ? unreadable(number, fault) : rowOf(number, cells, matching, readers);
  });
  return isTooLarge(read)
    ? "The file has too much text for one import. Split it into several files."
    : { name, rows: read };
}

type Readers = { timeZone: string; read: Partial<Record<FieldName, (text: string) => string>> };

/** How the dates of each column are read. */
function readersOf(rows: Lines, { fields, fixed }: Matching, timeZone: string): Readers {
  const read: Readers["read"] = {};
  for (const { name, moment } of importColumns) {
    if (!moment || !isField(name)) continue;
    const at = fields.indexOf(name);
    const texts = at < 0 ? [fixed[name] ?? ""] : rows.map((cells) => cells[at] ?? "");
    read[name] = columnReader(texts, timeZone);
  }
  return { timeZone, read };
}

const unreadable = (number: number, fault: string): ImportRow => ({
  number,
  fields: {},
  title: "",
  email: "",
  reference: "",
  name: "",
  description: "",
  moments: [],
  written: "",
  amount: "",
  unreadable: fault,
});

function rowOf(
  number: number,
  cells: readonly string[],
  { fields: names, fixed }: Matching,
  { timeZone, read }: Readers,
): ImportRow {
  const given: Partial<Record<FieldName, string>> = {};
  for (const [name, value] of Object.entries(fixed)) given[name as FieldName] = value.trim();
  for (const [at, name] of names.entries()) if (name) given[name] = cells[at] ?? "";
  const moments: string[] = [];
  for (const [name, reader] of Object.entries(read) as [FieldName, (text: string) => string][]) {
    if (!given[name]) continue;
    given[name] = reader(given[name]);
    if (isMoment(given[name]))
      moments.push(`${fieldLabel(name)} ${absoluteTime(given[name], timeZone)}`);
  }
  const { amount_decimal: written = "", amount: exact, ...others } = given;
  const fields: typeof others = {
    ...others,
    ...(others.currency ? { currency: currencyOf(others.currency) } : {}),
    ...(others.send_email ? { send_email: flagOf(others.send_email) } : {}),
  };
  const { currency = "", title = "", email = "", reference = "" } = fields;
  const { customer_name: name = "", description = "" } = fields;
  const amount =
    exact || (written === "" ? "" : (minorFrom(written, currency, "decimal") ?? written));
  const minor = /^\d{1,9}$/.test(String(amount)) ? Number(amount) : undefined;
  const known = minor !== undefined && currencyDigits(currency) !== undefined;
  const decimals = known && exact ? decimalAmount(minor, currency) : written || String(amount);
  return {
    number,
    fields: withoutBlanks({
      ...fields,
      amount,
      ...(fields.reminders ? { reminders: remindersFrom(fields.reminders) } : {}),
    }),
    noAmount:
      typeof amount === "string" && !exact && written !== ""
        ? amountProblem(written, currency, "decimal")
        : undefined,
    title,
    email,
    reference,
    name,
    description,
    moments,
    written: decimals,
    amount: known ? displayAmount(minor, currency) : `${currency} ${decimals}`.trim(),
  };
}

/** A blank cell means what an absent one does, and thousands of them would make a call too large. */
const withoutBlanks = (fields: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== ""));

/** What is sent beside the rows: the name of the file and the rows that are created anyway. */
const OTHER_BYTES = 64 * 1024;
const isTooLarge = (rows: readonly ImportRow[]): boolean =>
  new Blob([JSON.stringify(rows.map(({ fields }) => fields))]).size >
  bulkLimits.bytes - OTHER_BYTES;

const isMoment = (text: string) =>
  /^\d{4}-\d\d-\d\dT/.test(text) && !Number.isNaN(Date.parse(text));
const isDated = (field: string) =>
  isField(field) && importColumns.some(({ name, moment }) => moment && name === field);

/** What is wrong with a row, a text for each field. */
export const mistakesOf = (
  { errors }: Pick<BulkRow, "errors">,
  source: ImportRow | undefined,
): string[] =>
  Object.entries(errors).map(([field, texts]) => {
    const text = inFormWords(texts.join(" "), field, fieldLabel(field));
    if (isDated(field) && !isMoment(String(source?.fields[field] ?? "")))
      return `${text} Write it as 2027-01-15 or 15 Jan 2027.`;
    if (field === "reminders" && typeof source?.fields.reminders === "string")
      return "Write reminders as created+3, 3 days after it is created, or due-1, a day before it is due. Put spaces between several. “none” is none.";
    if (field !== "amount") return text;
    return source?.noAmount ?? inMoneyWords(text, String(source?.fields.currency ?? ""));
  });

/** The mistakes that each row of a file has, where none can be created: mostly a value that was given for every row. */
export function sharedMistakes(file: ImportFile, { rows }: Pick<BulkReport, "rows">): string[] {
  if (rows.length < 2) return [];
  const each = rows.map((row) => mistakesOf(row, file.rows[row.row - 1]));
  return each[0]?.filter((text) => each.every((texts) => texts.includes(text))) ?? [];
}

/** Whether a row's reference is taken by other content, be the row created or not. */
export const isConflict = ({ status, conflicts_with, earlier_row }: BulkRow): boolean =>
  conflicts_with !== null || (earlier_row !== null && status !== "exists");

/** What became of each row, with the addresses of what was made. */
export function resultCsv(file: ImportFile, report: BulkReport): string {
  const head = [
    "row",
    "status",
    "errors",
    "title",
    "email",
    "amount_decimal",
    "currency",
    "reference",
    "_id",
    "payment_url",
    "conflicts_with",
  ];
  return writeCsv([
    head,
    ...report.rows.map((made) => {
      const { row, status, payment_link: link } = made;
      const source = file.rows[row - 1];
      const fields = (source?.fields ?? {}) as Record<string, string>;
      return [
        source?.number,
        status,
        source?.unreadable ?? mistakesOf(made, source).join(" "),
        link?.title ?? source?.title,
        link?.email ?? source?.email,
        link ? decimalAmount(link.amount, link.currency) : source?.written,
        link?.currency ?? fields.currency,
        link?.reference ?? source?.reference,
        link?._id,
        link?.payment_url,
        made.conflicts_with?._id,
      ];
    }),
  ]);
}
