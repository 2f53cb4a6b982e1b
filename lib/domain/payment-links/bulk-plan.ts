import type { BulkReport, BulkRow, BulkRowInput } from "@/lib/contract/bulk";
import type { PaymentLinkInput } from "@/lib/contract/payment-links";
import type { Reminder } from "@/lib/contract/reminders";
import { type bulkConflictChoices, bulkDetails } from "@/lib/contract/values";
import type { FieldErrors } from "@/lib/kernel/problem";
import { decimalAmount } from "@/lib/kernel/money";
import { normalAddress } from "../payers/rules";
import { presentLink } from "./present";
import type { LinkRow } from "./rows";

/** What happens to rows with a reference that other content has; `create` names rows that are created in any case. */
export type OnConflict = {
  otherwise: (typeof bulkConflictChoices)[number];
  create: ReadonlySet<number>;
  /** Another title or due date is other content too. */
  compareDetails?: boolean;
};
type ValidRow = { row: number; input: BulkRowInput; id: string };
/** A row of a bulk call after its fields were checked. */
export type Checked = ValidRow | { row: number; errors: FieldErrors };
export type Plan = { making: ValidRow[]; report: BulkRow[] };

export type Referred = Pick<PaymentLinkInput, "email" | "amount" | "currency"> & {
  reference: string;
};

/** What equal links have in common, as JSON. */
export const contentOf = ({ reference, amount, currency, email }: Referred): string =>
  JSON.stringify([reference, amount, currency, email.toLowerCase()]);

type Details = { title: string; due: Date | string | null | undefined };
const detailsOf = ({ title, due }: Details) => ({
  title: title.trim().toLowerCase(),
  due_at: due ? new Date(due).getTime() : null,
});

type Found = { details: ReturnType<typeof detailsOf> } & ({ link: LinkRow } | { row: number });

/** What a link or row is found by, the narrowest first. */
const keysOf = (one: Referred, details: Found["details"]) => {
  const content = contentOf(one);
  return [
    content + JSON.stringify(details),
    content + JSON.stringify(details.title),
    content,
    JSON.stringify([one.reference]),
  ] as const;
};

/** Decides which rows become links. `existing`: the links of `linksByReference`. */
export function plan(
  checked: readonly Checked[],
  existing: readonly LinkRow[],
  onConflict: OnConflict,
): Plan {
  const known = new Map<string, Found>();
  // Oldest first, so the newest of each is what stays.
  for (const link of existing) {
    const { reference } = link;
    if (reference === null) continue;
    const details = detailsOf({ title: link.title, due: link.dueAt });
    const keys = keysOf({ ...link, reference }, details);
    for (const key of keys) known.set(key, { link, details });
  }
  const making: ValidRow[] = [];
  const report = checked.map((one): BulkRow => {
    const row = { ...blank, row: one.row };
    if (!("input" in one)) return { ...row, status: "invalid", errors: one.errors };
    const { reference } = one.input;
    if (reference !== undefined) {
      const details = detailsOf({ title: one.input.title, due: one.input.due_at });
      const keys = keysOf({ ...one.input, reference }, details);
      const [whole, titled, content, byReference] = keys;
      const equal = known.get(whole) ?? known.get(titled) ?? known.get(content);
      // A row without a due date says nothing of it: a report of an import has none.
      const said = bulkDetails.filter((name) => details[name] !== null);
      row.differs = equal ? said.filter((name) => equal.details[name] !== details[name]) : [];
      if (equal && (row.differs.length === 0 || !onConflict.compareDetails))
        return "link" in equal
          ? { ...row, status: "exists", payment_link: presentLink(equal.link) }
          : { ...row, status: "exists", earlier_row: equal.row };
      const other = equal ?? known.get(byReference);
      if (other && "link" in other) row.conflicts_with = presentLink(other.link);
      else row.earlier_row = other?.row ?? null;
      if (other && onConflict.otherwise === "skip" && !onConflict.create.has(one.row))
        return { ...row, status: "conflict" };
      for (const key of keys) {
        const before = known.get(key);
        if (!before || "row" in before) known.set(key, { row: one.row, details });
      }
    }
    making.push(one);
    return { ...row, status: "valid" };
  });
  return { making, report };
}

const blank: Omit<BulkRow, "row" | "status"> = {
  errors: {},
  payment_link: null,
  conflicts_with: null,
  earlier_row: null,
  differs: [],
  kept_name: null,
};

/**
 * The first name that a row gives each customer, by address. The report says where the customer keeps another one: that it had, else the first.
 */
export function named(
  { making, report }: Plan,
  had: ReadonlyMap<string, string>,
): { names: Map<string, string>; report: BulkRow[] } {
  const names = new Map<string, string>();
  const kept = new Map<number, string>();
  for (const { row, input } of making) {
    if (input.customer_name === undefined) continue;
    const address = normalAddress(input.email);
    const first = names.get(address) ?? input.customer_name;
    names.set(address, first);
    const name = had.get(address) ?? first;
    if (name !== input.customer_name) kept.set(row, name);
  }
  return {
    names,
    report: report.map((one) => ({ ...one, kept_name: kept.get(one.row) ?? null })),
  };
}

/** The report after the links were written: adds each created link to its row and to the equal rows after it. */
export function completed(
  report: readonly BulkRow[],
  created: ReadonlyMap<number, LinkRow>,
): BulkRow[] {
  return report.map((row) => {
    const link = created.get(row.row);
    if (link) return { ...row, status: "created", payment_link: presentLink(link) };
    const earlier = row.status === "exists" && created.get(row.earlier_row ?? 0);
    return earlier ? { ...row, payment_link: presentLink(earlier) } : row;
  });
}

/** Counts rows by status, and mails and money by what was or would be created. */
export function summary(
  { making }: Plan,
  rows: BulkRow[],
  {
    dryRun,
    importId,
    byDefault,
    mailsBatchId = null,
  }: {
    dryRun: boolean;
    importId: string | undefined;
    /** The reminders that the settings have for links that are mailed. */
    byDefault: readonly Reminder[];
    mailsBatchId?: string | null;
  },
): BulkReport {
  const count = (status: BulkRow["status"]) => rows.filter((row) => row.status === status).length;
  const byCurrency = Map.groupBy(making, ({ input }) => input.currency);
  const isMailed = ({ send_email: mailed = true }: PaymentLinkInput) => mailed;
  const hasReminders = (input: PaymentLinkInput) =>
    (input.reminders ?? (isMailed(input) ? byDefault : [])).some(
      ({ relative_to: base }) => base !== "due_at" || input.due_at !== undefined,
    );
  return {
    dry_run: dryRun,
    total: rows.length,
    created: count("created"),
    exists: count("exists"),
    conflict: count("conflict"),
    invalid: count("invalid"),
    valid: count("valid"),
    import_id: importId ?? null,
    mails: making.filter(({ input }) => isMailed(input)).length,
    with_reminders: making.filter(({ input }) => hasReminders(input)).length,
    mails_batch_id: mailsBatchId,
    totals: [...byCurrency].map(([currency, made]) => {
      const amount = made.reduce((sum, { input }) => sum + input.amount, 0);
      return {
        currency,
        count: made.length,
        amount,
        amount_decimal: decimalAmount(amount, currency),
      };
    }),
    rows,
  };
}
