import { amountProblem } from "@/lib/client/amounts";
import type { PaymentLink } from "@/lib/contract/payment-links";
import { HEADER_ROWS } from "@/lib/kernel/csv-dialect";
import { currencyDigits } from "@/lib/kernel/currencies";
import { every } from "@/lib/kernel/every";
import { isLocalTime } from "@/lib/kernel/local-columns";
import { currencyOf, type FieldName, isField, type Matching, missingFields } from "./import-file";

type Lines = readonly (readonly string[])[];

/** What people call the column with the names of payers, or of those they pay for. */
const whoPays = [
  "name",
  "full_name",
  "child",
  "child_name",
  "children",
  "payer",
  "payer_name",
  "payer_s_name",
  "parent",
  "parent_name",
  "parent_s_name",
  "student",
  "student_name",
  "student_s_name",
  "pupil",
  "pupil_name",
  "customer",
  "client",
  "client_name",
  "nama",
  "nama_penuh",
  "nama_anak",
  "nama_murid",
  "nama_pelajar",
  "nama_pelanggan",
  "nama_ibu_bapa",
  "pelanggan",
  "pelajar",
  "murid",
  "anak",
] as const;

/** What people call these columns themselves. */
const otherNames: Partial<Record<string, FieldName>> = {
  e_mail: "email",
  email_address: "email",
  e_mail_address: "email",
  amount_decimals: "amount_decimal",
  total: "amount",
  phone: "phone_no",
  phone_number: "phone_no",
  mobile: "phone_no",
  ref: "reference",
  ref_no: "reference",
  reference_no: "reference",
  reference_number: "reference",
  order_no: "reference",
  order_number: "reference",
  invoice_no: "reference",
  invoice_number: "reference",
  second_reference: "reference_2",
  what_for: "title",
  purpose: "title",
  return_address: "redirect_url",
  expires: "expires_at",
  due: "due_at",
  due_date: "due_at",
  ...Object.fromEntries(whoPays.map((name) => [name, "customer_name"])),
};

const plain = (header: string) =>
  header
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, "_")
    .replaceAll(/^_|_$/g, "");

/** Columns of our own exports and reports that an import has no use for. */
const ours = new Set(
  [
    ...every<Exclude<keyof PaymentLink, FieldName>>()([
      "_id",
      "business_id",
      "version",
      "status",
      "paid",
      "payment_url",
      "subscription_id",
      "import_id",
      "paid_at",
      "overdue",
      "default_reminders",
      "test_clock_id",
      "integration_id",
      "created_at",
      "updated_at",
    ]),
    ...["row", "errors", "conflicts_with"],
  ].map(plain),
);

const lasting = new Set(["currency", "send_email"]);
const isLasting = ([name]: [string, string]): boolean => lasting.has(name);

/** Our exports repeat moments in local time, and have the amount with decimals and without. */
const isOurs = (header: string, headers: readonly string[]): boolean =>
  ours.has(plain(header)) ||
  isLocalTime(header, headers) ||
  (header === "amount" && headers.includes("amount_decimal"));

/** `isSign`: the currency is written as a sign, RM. A code may be a word. */
type Named = { field: FieldName; currency?: string; isSign?: boolean };

/** What a column's name says: its field and, of an amount such as "Total (RM)", the currency. "Total (all)" names one too: the lek of Albania. */
function named(header: string): Named | undefined {
  const name = plain(header);
  const field = otherNames[name] ?? (isField(name) ? name : undefined);
  if (field) return { field };
  const [, amount = "", code = ""] = /^(amount|total)(?:_in)?_([a-z]{2,3})$/.exec(name) ?? [];
  const currency = currencyOf(code);
  return amount && currencyDigits(currency) !== undefined
    ? { field: "amount", currency, isSign: code === "rm" }
    : undefined;
}
const asField = (header: string): FieldName | undefined => named(header)?.field;

const SAMPLE_ROWS = 20;

/** What a table's columns are remembered by; "" without a header. */
export const headerKey = (lines: Lines, header: number): string =>
  header < 0 ? "" : JSON.stringify((lines[header] ?? []).map(plain));

/**
 * Which column is which field, by what was chosen for these names before, by their names, then by what is in them. `sure`: nothing is
 * left to ask. A code of a currency in a name is trusted if it is the business's `ownCurrency`.
 */
export function guessMatching(
  lines: Lines,
  remembered: (key: string) => Matching | undefined,
  ownCurrency: string | undefined,
): { matching: Matching; sure: boolean } {
  const first = lines.slice(0, HEADER_ROWS);
  for (const [at] of first.entries()) {
    const known = remembered(headerKey(lines, at));
    if (known) {
      const fixed = Object.entries(known.fixed);
      return {
        matching: { ...known, header: at, fixed: Object.fromEntries(fixed.filter(isLasting)) },
        sure:
          missingFields(known).length === 0 &&
          // A title or a day was for the last file alone: it is asked for again.
          fixed.every((one) => isLasting(one) || !one[1]),
      };
    }
  }
  return guessAt(lines, headerOf(lines), ownCurrency);
}

/** The same for a header row that a person chose. */
export function guessAt(
  lines: Lines,
  header: number,
  ownCurrency?: string,
): { matching: Matching; sure: boolean } {
  const names = lines[header] ?? [];
  const width = Math.max(0, ...lines.slice(0, SAMPLE_ROWS).map((cells) => cells.length));
  const fields: (FieldName | "")[] = Array.from({ length: width }, () => "");
  let sure = header >= 0;
  const give = (at: number, field: FieldName) => {
    if (fields.includes(field)) sure = false;
    else fields[at] = field;
  };
  for (const [at, name] of names.entries()) {
    const field = asField(name);
    const values = valuesOf(lines, header, at);
    if (field === "customer_name" && !values.every(mayBeName)) sure = false;
    else if (field && field !== "amount") give(at, field);
    else if (field === undefined && !isOurs(name, names) && values.length > 0) sure = false;
  }
  const amounts = names.flatMap((name, at) => (asField(name) === "amount" ? [at] : []));
  const [amount = -1] = amounts;
  if (amounts.length > 1) sure = false;
  const { currency, isSign } = named(names[amount] ?? "") ?? {};
  if (currency && !isSign && currency !== ownCurrency) sure = false;
  if (amount >= 0 && !fields.includes("amount_decimal")) {
    // "1250" may be 12.50 or 1,250.00: a person says which, unless the name says that these are ringgit.
    if (currency || valuesOf(lines, header, amount).some((value) => /\D/.test(value)))
      give(amount, "amount_decimal");
    else sure = false;
  }
  for (const [at, field] of fields.entries()) {
    const guess = field === "" && at !== amount && fieldByValues(valuesOf(lines, header, at));
    if (guess && !fields.includes(guess)) fields[at] = guess;
  }
  const matching: Matching = {
    header,
    fields,
    fixed: currency && !fields.includes("currency") ? { currency } : {},
  };
  return { matching, sure: sure && missingFields(matching).length === 0 };
}

/** The names of columns with values of which an import takes nothing, but for those of our own exports. */
export const leftOutNames = (lines: Lines, { header, fields }: Matching): string[] =>
  (lines[header] ?? []).filter(
    (name, at, names) =>
      name !== "" && !fields[at] && !isOurs(name, names) && valuesOf(lines, header, at).length > 0,
  );

const firstTexts = new WeakMap<Lines, Map<string, string[]>>();

/** The first texts of a column below its header. A table never changes, so no row is read twice for one column. */
export function valuesOf(lines: Lines, header: number, column: number): readonly string[] {
  const read = firstTexts.get(lines) ?? new Map<string, string[]>();
  firstTexts.set(lines, read);
  const key = `${header} ${column}`;
  const known = read.get(key);
  if (known) return known;
  const texts: string[] = [];
  for (let at = header + 1; at < lines.length && texts.length < SAMPLE_ROWS; at++) {
    const text = lines[at]?.[column];
    if (text) texts.push(text);
  }
  read.set(key, texts);
  return texts;
}

/** The row with most names that we know, else the first with several texts of which none looks like a value. */
function headerOf(lines: Lines): number {
  const known = lines
    .slice(0, HEADER_ROWS)
    .map((cells) => new Set(cells.map(asField).filter((field) => field !== undefined)).size);
  const most = Math.max(0, ...known);
  if (most > 0) return known.indexOf(most);
  const full = lines.findIndex((cells) => cells.filter((text) => text !== "").length > 1);
  if (full < 0) return 0;
  return (lines[full] ?? []).some((text) => text.includes("@") || /^[\d.,]+$/.test(text))
    ? -1
    : full;
}

/** An address or a number of a customer is no name, whatever its column is called. */
const mayBeName = (text: string) => /\p{L}/u.test(text) && !/[@\d]/.test(text);

function fieldByValues(values: readonly string[]): FieldName | undefined {
  if (values.length === 0) return undefined;
  if (values.every((text) => /^\S+@\S+$/.test(text))) return "email";
  if (values.every((text) => currencyDigits(currencyOf(text)) !== undefined)) return "currency";
  const money = values.every((text) => amountProblem(text, "") === undefined);
  return money && values.some((text) => /[.,]\d{1,2}$/.test(text)) ? "amount_decimal" : undefined;
}

/** What was remembered, if it still has the shape of a matching: a newer version may have other fields. */
export function readMatching(value: unknown): Matching | undefined {
  const { fields, fixed } = (value ?? {}) as Partial<Record<keyof Matching, unknown>>;
  if (!Array.isArray(fields) || typeof fixed !== "object" || fixed === null) return undefined;
  const texts = Object.entries(fixed).filter(
    (entry): entry is [FieldName, string] => isField(entry[0]) && typeof entry[1] === "string",
  );
  return {
    header: 0,
    fields: fields.map((name) => (typeof name === "string" && isField(name) ? name : "")),
    fixed: Object.fromEntries(texts),
  };
}
