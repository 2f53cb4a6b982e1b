import * as z from "zod";
import { endpoint } from "./endpoint";
import { documented, Flag } from "./fields";
import { PaymentLink, paymentLinkExample } from "./payment-links";
import { bulkLimits, bulkStatuses } from "./values";

const row = z.record(z.string(), z.unknown());

export const BulkInput = z
  .object({
    rows: z
      .array(row)
      .min(1)
      .max(bulkLimits.rows)
      .meta({
        description: "Each as in creating one; at most 5,000.",
        ...documented({
          type: "array",
          minItems: 1,
          maxItems: bulkLimits.rows,
          items: { $ref: "#/components/schemas/PaymentLinkInput" },
        }),
      }),
    dry_run: Flag.optional().describe("Checks every row and makes nothing."),
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
        "`created`; `exists`: a payment link has this `reference` already, or an earlier row has, and none was made; `invalid`: see `errors`; `valid`: would be created, in a dry run.",
    }),
    errors: z
      .record(z.string(), z.array(z.string()))
      .meta({ description: "By field, in the 422's words; else empty." }),
    payment_link: PaymentLink.nullable().meta({ description: "What was made, or what was there." }),
  })
  .meta({ id: "PaymentLinkBulkRow" });

export const BulkReport = z
  .object({
    dry_run: z.boolean(),
    total: z.int(),
    created: z.int(),
    exists: z.int(),
    invalid: z.int(),
    valid: z.int(),
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
        invalid: 0,
        valid: 0,
        rows: [{ row: 1, status: "created", errors: {}, payment_link: paymentLinkExample }],
      },
    ],
  });

export type BulkInput = z.output<typeof BulkInput>;
export type BulkReport = z.output<typeof BulkReport>;
export type BulkRow = z.output<typeof BulkRow>;

export const bulkCreatePaymentLinks = endpoint({
  id: "bulkCreatePaymentLinks",
  method: "POST",
  path: "/payment-links/bulk",
  tag: "Payment links",
  money: true,
  maxBytes: bulkLimits.bytes,
  takesCsv: true,
  summary: "Create many payment links",
  query: z.object({
    dry_run: Flag.optional().describe("For CSV, whose body has no place for it."),
  }),
  body: BulkInput,
  response: BulkReport,
  description:
    "Up to 5,000 rows and 2 MiB. Rows that are valid are created, all in one go; the report says what became of each. A row whose `reference` a payment link has already is not made twice, so that a file can be sent again. The body may also be `text/csv`: a header row with the names of the fields, then one row a link.",
});
