import { inFormWords, inMoneyWords } from "@/components/form/error-words";
import { fieldLabel } from "@/components/record/changes";
import { amountProblem, minorFrom } from "@/lib/client/amounts";
import { writeCsv } from "@/lib/client/csv";
import { readCsv } from "@/lib/client/read-csv";
import type { BulkReport, BulkRow } from "@/lib/contract/bulk";
import type { PaymentLinkInput } from "@/lib/contract/payment-links";
import { bulkLimits } from "@/lib/contract/values";
import { currencyDigits } from "@/lib/kernel/currencies";
import { decimalAmount, displayAmount } from "@/lib/kernel/money";

/** A row of the file as it is sent, with what the screen shows of it. `unreadable` says why its cells do not match the header, `noAmount` what is wrong with its amount. */
export type ImportRow = {
  row: number;
  fields: Record<string, unknown>;
  title: string;
  email: string;
  reference: string;
  amount: string;
  unreadable?: string;
  noAmount?: string;
};

export type ImportFile = { name: string; rows: ImportRow[] };

type Column = { text: string; example: string; required?: true };

/** The columns of a file, in the order of its template. The amount is written as people write it. */
const columns: Record<Exclude<keyof PaymentLinkInput, "amount"> | "amount_decimal", Column> = {
  email: { text: "The payer’s e-mail address", example: "ana@example.com", required: true },
  title: { text: "What the payer reads first", example: "Invoice 1042", required: true },
  currency: { text: "Three letters, such as MYR", example: "MYR", required: true },
  amount_decimal: {
    text: "As people write it, 12.50; or amount in minor units, 1250",
    example: "125.50",
    required: true,
  },
  reference: {
    text: "With it, a row that exists already is not created twice",
    example: "INV-1042",
  },
  reference_2: { text: "A second reference", example: "" },
  description: { text: "Free text", example: "" },
  phone_no: { text: "The payer’s phone number", example: "" },
  send_email: { text: "false keeps the e-mail back", example: "false" },
  due_at: { text: "When it is due, such as 2027-01-15T12:00:00Z", example: "" },
  expires_at: { text: "Such as 2027-01-31T12:00:00Z", example: "" },
  redirect_url: { text: "Where the payer goes after paying", example: "" },
};

export const importColumns: readonly (Column & { name: string })[] = Object.entries(columns).map(
  ([name, column]) => ({ name, ...column }),
);

export const template = writeCsv([
  importColumns.map(({ name }) => name),
  importColumns.map(({ example }) => example),
]);

/** What people call these columns themselves. */
const otherNames: Partial<Record<string, keyof typeof columns>> = {
  e_mail: "email",
  email_address: "email",
  e_mail_address: "email",
  amount_decimals: "amount_decimal",
  phone: "phone_no",
  phone_number: "phone_no",
  mobile: "phone_no",
  ref: "reference",
  reference_no: "reference",
  invoice_no: "reference",
  invoice_number: "reference",
  second_reference: "reference_2",
  return_address: "redirect_url",
  expires: "expires_at",
  due: "due_at",
  due_date: "due_at",
};

const asName = (header: string) => {
  const name = header
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, "_")
    .replaceAll(/^_|_$/g, "");
  return otherNames[name] ?? name;
};

// A workbook is a ZIP file; older ones have a sign of their own.
const isWorkbook = (text: string) =>
  text.startsWith("PK\u0003\u0004") || /^\ufffd\ufffd\u0011/.test(text);

/** Reads a CSV file with a header row. A text says what is wrong with it as a whole. */
export function readImport(name: string, text: string): ImportFile | string {
  if (isWorkbook(text))
    return "This is a spreadsheet in its own format. Save it as CSV there, then import that file.";
  const read = readCsv(text);
  if (typeof read === "string") return read;
  const [head, ...lines] = read;
  if (!head || lines.length === 0) return "The file has no rows below its header.";
  const names = head.map(asName);
  const twice = names.find((one, index) => one !== "" && names.indexOf(one) !== index);
  if (twice) return `The header has the column ${twice} twice.`;
  const missing = ["email", "title", "currency"].filter((one) => !names.includes(one));
  if (!names.includes("amount") && !names.includes("amount_decimal"))
    missing.push("amount_decimal");
  if (missing.length > 0) return `The header row lacks ${missing.join(", ")}.`;
  if (lines.length > bulkLimits.rows)
    return `The file has ${lines.length.toLocaleString("en-GB")} rows; at most ${bulkLimits.rows.toLocaleString("en-GB")} go at once.`;
  return { name, rows: lines.map((cells, index) => rowOf(index + 1, names, cells)) };
}

function rowOf(row: number, names: readonly string[], cells: readonly string[]): ImportRow {
  if (cells.length !== names.length) {
    return {
      row,
      fields: {},
      title: "",
      email: "",
      reference: "",
      amount: "",
      unreadable: `It has ${cells.length} cells where the header has ${names.length}.`,
    };
  }
  const { amount_decimal: written = "", ...fields } = Object.fromEntries(
    names.map((name, index) => [name, cells[index] ?? ""]),
  ) as Record<string, string>;
  const { currency = "", title = "", email = "", reference = "" } = fields;
  const amount: string | number =
    fields.amount || written === ""
      ? (fields.amount ?? "")
      : (minorFrom(written, currency) ?? written);
  const minor = /^\d{1,9}$/.test(String(amount)) ? Number(amount) : undefined;
  const known = minor !== undefined && currencyDigits(currency) !== undefined;
  const noAmount =
    typeof amount === "string" && !fields.amount && written !== ""
      ? amountProblem(written, currency)
      : undefined;
  return {
    row,
    fields: { ...fields, amount },
    noAmount,
    title,
    email,
    reference,
    amount: known ? displayAmount(minor, currency) : `${currency} ${written || amount}`.trim(),
  };
}

/** What is wrong with a row, a text for each field. */
export const mistakesOf = (
  { errors }: Pick<BulkRow, "errors">,
  source: ImportRow | undefined,
): string[] =>
  Object.entries(errors).map(([field, texts]) => {
    const text = inFormWords(texts.join(" "), field, fieldLabel(field));
    if (field !== "amount") return text;
    return source?.noAmount ?? inMoneyWords(text, String(source?.fields.currency ?? ""));
  });

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
      const amount = link
        ? decimalAmount(link.amount, link.currency)
        : (fields.amount_decimal ?? fields.amount);
      return [
        row,
        status,
        source?.unreadable ?? mistakesOf(made, source).join(" "),
        link?.title ?? source?.title,
        link?.email ?? source?.email,
        amount,
        link?.currency ?? fields.currency,
        link?.reference ?? source?.reference,
        link?._id,
        link?.payment_url,
        made.conflicts_with?._id,
      ];
    }),
  ]);
}
