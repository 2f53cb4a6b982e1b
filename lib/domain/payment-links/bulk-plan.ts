import type { BulkReport, BulkRow } from "@/lib/contract/bulk";
import type { PaymentLinkInput } from "@/lib/contract/payment-links";
import type { Reminder } from "@/lib/contract/reminders";
import type { bulkConflictChoices } from "@/lib/contract/values";
import type { FieldErrors } from "@/lib/kernel/problem";
import { decimalAmount } from "@/lib/kernel/money";
import { presentLink } from "./present";
import type { LinkRow } from "./rows";

/** What happens to rows with a reference that other content has; `create` names rows that are created in any case. */
export type OnConflict = {
  otherwise: (typeof bulkConflictChoices)[number];
  create: ReadonlySet<number>;
};
type ValidRow = { row: number; input: PaymentLinkInput; id: string };
/** A row of a bulk call after its fields were checked. */
export type Checked = ValidRow | { row: number; errors: FieldErrors };
export type Plan = { making: ValidRow[]; report: BulkRow[] };

export type Referred = Pick<PaymentLinkInput, "email" | "amount" | "currency"> & {
  reference: string;
};

/** What equal links have in common, as JSON. */
export const contentOf = ({ reference, amount, currency, email }: Referred): string =>
  JSON.stringify([reference, amount, currency, email.toLowerCase()]);

/** Decides which rows become links. `existing`: the links of `linksByReference`. */
export function plan(
  checked: readonly Checked[],
  existing: readonly LinkRow[],
  onConflict: OnConflict,
): Plan {
  // Oldest first, so the newest of each is what stays.
  const newestLink = new Map<string | null, LinkRow>();
  const equalLink = new Map<string, LinkRow>();
  for (const link of existing) {
    newestLink.set(link.reference, link);
    if (link.reference !== null)
      equalLink.set(contentOf({ ...link, reference: link.reference }), link);
  }
  const lastRow = new Map<string, number>();
  const equalRow = new Map<string, number>();
  const making: ValidRow[] = [];
  const report = checked.map((one): BulkRow => {
    const row = { ...blank, row: one.row };
    if (!("input" in one)) return { ...row, status: "invalid", errors: one.errors };
    const { reference } = one.input;
    if (reference !== undefined) {
      const content = contentOf({ ...one.input, reference });
      const equal = equalLink.get(content);
      if (equal) return { ...row, status: "exists", payment_link: presentLink(equal) };
      const earlier = equalRow.get(content);
      if (earlier !== undefined) return { ...row, status: "exists", earlier_row: earlier };
      const newest = newestLink.get(reference);
      const last = lastRow.get(reference);
      if (newest) row.conflicts_with = presentLink(newest);
      else row.earlier_row = last ?? null;
      const taken = newest !== undefined || last !== undefined;
      if (taken && onConflict.otherwise === "skip" && !onConflict.create.has(one.row))
        return { ...row, status: "conflict" };
      lastRow.set(reference, one.row);
      equalRow.set(content, one.row);
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
};

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
