import * as z from "zod";
import { endpoint } from "./endpoint";
import { AmountDecimal, CurrencyOut, documented, FileName, Flag, Id, Name } from "./fields";
import { PaymentLink, PaymentLinkInput, paymentLinkExample } from "./payment-links";
import { bulkConflictChoices, bulkDetails, bulkLimits, bulkStatuses, limits } from "./values";

const row = z.record(z.string(), z.unknown());

/** A row takes the fields of a link, and the name of its customer. */
export const BulkRowInput = PaymentLinkInput.extend({
  customer_name: Name(limits.customerName).optional(),
});

const onConflict = z.enum(bulkConflictChoices).optional().meta({
  description:
    "What happens to a row with a `reference` that other content has: `skip`, the default, creates nothing and reports `conflict`; `create` creates the link too.",
});
const createConflicts = z
  .array(z.int().min(1).max(bulkLimits.rows))
  .max(bulkLimits.rows)
  .optional();
const compareDetails = Flag.optional().describe(
  "Another title, or another due date where the row has one, is other content too: such a row is a `conflict`, not `exists`. See `differs`.",
);

const importId = Id.optional().describe(
  "The import that the links belong to: 24 hexadecimal characters of your choice. Several calls of one mode may share one. Default: a new import. Where links are created, the id of another batch, or of an import of the other mode, is a 422.",
);

const fileName = FileName.optional().describe(
  "The name of the file that the rows are from; the import's batch keeps it.",
);

const mailsWait = Flag.optional().describe(
  "The e-mails of the created payment links start 30 seconds later, as a batch that can be stopped: see `mails_batch_id`.",
);

export const BulkInput = z
  .object({
    rows: z
      .array(row)
      .min(1)
      .max(bulkLimits.rows)
      .meta({
        description:
          "Each as in creating one, but for `test_clock_id`; at most 5,000. `customer_name` besides: the name of the customer of its `email`. A customer that has a name keeps it: see `kept_name`.",
        ...documented({
          type: "array",
          minItems: 1,
          maxItems: bulkLimits.rows,
          items: {
            allOf: [
              { $ref: "#/components/schemas/PaymentLinkInput" },
              {
                type: "object",
                properties: {
                  customer_name: { type: "string", minLength: 1, maxLength: limits.customerName },
                },
              },
            ],
          },
        }),
      }),
    dry_run: Flag.optional().describe("Checks every row and makes nothing."),
    on_conflict: onConflict,
    create_conflicts: createConflicts.describe(
      "Rows, counted from 1, that are created although their `reference` is taken by other content, whatever `on_conflict` says.",
    ),
    compare_details: compareDetails,
    import_id: importId,
    file_name: fileName,
    mails_wait: mailsWait,
  })
  .meta({
    id: "PaymentLinkBulk",
    examples: [
      {
        rows: [
          {
            email: "ana@example.com",
            currency: "MYR",
            amount: 12550,
            title: "Invoice 1042",
            reference: "INV-1042",
            send_email: false,
          },
        ],
        dry_run: false,
      },
    ],
  });

export const BulkRow = z
  .object({
    row: z.int().meta({
      description: "Which of the rows, counted from 1; the header line of a CSV is not counted.",
    }),
    status: z.enum(bulkStatuses).meta({
      description:
        "`created`. `exists`: a payment link with the same `reference`, `email`, `amount` and `currency` exists, or an earlier row creates it; none was created. `conflict`: other content has the `reference`; none was created. Cancelled payment links count for neither. `invalid`: see `errors`. `valid`: would be created, in a dry run.",
    }),
    errors: z
      .record(z.string(), z.array(z.string()))
      .meta({ description: "By field, in the 422's words; else empty." }),
    payment_link: PaymentLink.nullable().meta({ description: "What was made, or what was there." }),
    conflicts_with: PaymentLink.nullable().meta({
      description:
        "The newest payment link, not cancelled, that has this `reference` with another payer, amount or currency, or with what `differs`; also where the row was created nevertheless.",
    }),
    earlier_row: z.int().nullable().meta({
      description: "The earlier row of this call that has this `reference`, where no link had it.",
    }),
    differs: z.array(z.enum(bulkDetails)).meta({
      description:
        "Fields that differ from the payment link, or the earlier row, with the same `reference`, payer, amount and currency. Titles are compared without case and without spaces around them. Empty where one is the same in all, or without such a link and row.",
    }),
    kept_name: z.string().nullable().meta({
      description:
        "The name that the customer keeps, where the row is or would be created and its `customer_name` is another one. Also that of an earlier row.",
    }),
  })
  .meta({ id: "PaymentLinkBulkRow" });

export const BulkReport = z
  .object({
    dry_run: z.boolean(),
    total: z.int(),
    created: z.int(),
    exists: z.int(),
    conflict: z.int(),
    invalid: z.int(),
    valid: z.int(),
    import_id: Id.nullable().describe("Of the links created; null in a dry run without one."),
    mails: z.int().meta({
      description: "How many mails to payers are written by what was or would be created.",
    }),
    with_reminders: z.int().meta({
      description:
        "How many of what was or would be created have reminders, of their own or by the default of the business's settings.",
    }),
    mails_batch_id: Id.nullable().describe("The batch that sends them, where `mails_wait` is set."),
    totals: z
      .array(
        z.object({
          currency: CurrencyOut,
          count: z.int(),
          amount: z.int().meta({ description: "Minor units." }),
          amount_decimal: AmountDecimal,
        }),
      )
      .meta({ description: "Of what was or would be created, by currency." }),
    rows: z.array(BulkRow),
  })
  .meta({
    id: "PaymentLinkBulkReport",
    examples: [
      {
        dry_run: false,
        total: 1,
        created: 1,
        exists: 0,
        conflict: 0,
        invalid: 0,
        valid: 0,
        import_id: "6740f1bf9a3be27d51c8e4ee",
        mails: 0,
        with_reminders: 0,
        mails_batch_id: null,
        totals: [{ currency: "MYR", count: 1, amount: 12550, amount_decimal: "125.50" }],
        rows: [
          {
            row: 1,
            status: "created",
            errors: {},
            payment_link: { ...paymentLinkExample, import_id: "6740f1bf9a3be27d51c8e4ee" },
            conflicts_with: null,
            earlier_row: null,
            differs: [],
            kept_name: null,
          },
        ],
      },
    ],
  });

export type BulkRowInput = z.output<typeof BulkRowInput>;
export type BulkInput = z.output<typeof BulkInput>;
export type BulkReport = z.output<typeof BulkReport>;
export type BulkRow = z.output<typeof BulkRow>;

export const bulkCreatePaymentLinks = endpoint({
  id: "bulkCreatePaymentLinks",
  method: "POST",
  path: "/payment-links/bulk",
  tag: "Payment links",
  money: true,
  cost: 5,
  maxBytes: bulkLimits.bytes,
  takesCsv: true,
  summary: "Create many payment links",
  query: z.object({
    dry_run: Flag.optional().describe("For CSV: its body has no place for this field."),
    on_conflict: onConflict,
    compare_details: compareDetails,
    import_id: importId,
    file_name: fileName,
    mails_wait: mailsWait,
  }),
  body: BulkInput,
  response: BulkReport,
  description:
    "Up to 5,000 rows and 2 MiB. Rows that are valid are created, all in one go; the report says what became of each. A row is not created twice when a payment link has its `reference`, payer, amount and currency, so that a file can be sent again. A cancelled payment link does not count: after the undo of an import the same file creates its links anew, once the batch of the undo is done. A row with a `reference` that other content has is a `conflict`, such as a second instalment of one order. It is created only with `on_conflict: create`, or when `create_conflicts` names it. With `compare_details` a row with another title or due date is a conflict too, such as another trip of the same pupil. Rows without a `reference` are always created. The body may also be `text/csv`: a header row with the names of the fields, then one row a link. The apostrophes that exports write before formulas are taken away.",
});
