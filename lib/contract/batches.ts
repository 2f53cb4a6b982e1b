import * as z from "zod";
import { endpoint } from "./endpoint";
import { page } from "./envelope";
import { BusinessId, Flag, FutureMoment, Id, Timestamp } from "./fields";
import { listQuery } from "./lists";
import { PaymentLink, PaymentLinkQuery, paymentLinkExample } from "./payment-links";
import {
  batchActions,
  batchLimits,
  batchStatuses,
  skipReasons,
  startedActions,
} from "./batch-values";
import { NamedActor } from "./versions";

export const BatchInput = z
  .object({
    action: z.enum(startedActions).meta({
      description:
        "`cancel` and `extend` can be undone. `remind` mails each link that can be paid to its payer, 30 seconds later, until then it can be stopped. A link with money that came late, and was not refunded in full, is skipped as `paid`.",
    }),
    ids: z.array(Id).min(1).max(batchLimits.ids).optional().meta({
      description: "These payment links, at most 500. Default: those that the query matches.",
    }),
    expected: z.int().min(1).max(batchLimits.links).optional().meta({
      description:
        "Without `ids`: how many payment links must match. If another number matches by now, nothing is done and the answer is 409. `created_to` in the query leaves out those that were created since.",
    }),
    expires_at: FutureMoment.optional().describe(
      "The new expiry, for `extend`. Either this or `extend_days`.",
    ),
    extend_days: z.int().min(1).max(batchLimits.extendDays).optional().meta({
      description:
        "How many days `extend` adds to each link's own expiry, at the same time of day in the business's time zone. Where that has passed, the days count from now. Links that never expire stay as they are.",
    }),
    move_due: Flag.optional().describe(
      "Whether `extend_days` also moves due dates, in the same way. Links that have a due date and never expire are then changed too. Default: false, due dates stay.",
    ),
    shorten: Flag.optional().describe(
      "Whether `extend` also gives `expires_at` to links that never expire, or that expire later. Default: false, it leaves them as they are.",
    ),
  })
  .meta({
    id: "BatchInput",
    examples: [{ action: "cancel", ids: ["6740f1c09a3be27d51c8e4f0"] }],
  });

/** The filters of the list of payment links. */
export const BatchSelection = PaymentLinkQuery.omit({
  page: true,
  per_page: true,
  cursor: true,
  sort: true,
  ids: true,
});

export const batchExample = {
  _id: "6740f2a19a3be27d51c8e50b",
  action: "cancel",
  status: "done",
  total: 1254,
  done: 1254,
  changed: 1251,
  skipped: 3,
  expires_at: null,
  extend_days: null,
  move_due: false,
  shorten: false,
  file_name: null,
  starts_at: "2026-11-20T13:34:45.423258Z",
  finished_at: "2026-11-20T13:34:52.018310Z",
  undo_of: null,
  undone_by: null,
  can_undo: true,
  created_by: { kind: "person", name: "Ana Costa" },
  business_id: 1001,
  created_at: "2026-11-20T13:34:45.423258Z",
  updated_at: "2026-11-20T13:34:52.018310Z",
} as const;

export const Batch = z
  .object({
    _id: Id,
    action: z.enum(batchActions).meta({
      description:
        "`import`: created payment links; its `_id` is their `import_id`. `send`: mails the links of an import for the first time. `undo`: gives back what the batch `undo_of` changed.",
    }),
    status: z.enum(batchStatuses).meta({
      description:
        "`waiting`: it starts at `starts_at`. `stopped`: what was not done by then is left.",
    }),
    total: z.int().meta({ description: "How many payment links it is about." }),
    done: z.int().meta({ description: "How many were looked at so far." }),
    changed: z.int().meta({ description: "How many of those were changed or mailed." }),
    skipped: z.int().meta({ description: "How many of those were left as they are." }),
    expires_at: Timestamp.nullable().describe("The new expiry that an `extend` gives."),
    extend_days: z.int().nullable().meta({
      description: "How many days an `extend` adds to each link's own expiry.",
    }),
    move_due: z.boolean().meta({
      description: "Whether an `extend` by days moves due dates by so many days too.",
    }),
    shorten: z.boolean().meta({
      description:
        "Whether an `extend` also changes links that never expire, or that expire later.",
    }),
    file_name: z.string().nullable().meta({
      description: "The name of the file that an `import` came from, where the caller gave it.",
    }),
    starts_at: Timestamp,
    finished_at: Timestamp.nullable(),
    undo_of: Id.nullable().describe("The batch that this one undoes."),
    undone_by: Id.nullable().describe(
      "The batch that undoes this one. Null again, and undone again, once that one was stopped or an `import` has created more links.",
    ),
    can_undo: z.boolean().meta({
      description: "For 30 days after it finished. Mails cannot be undone.",
    }),
    created_by: NamedActor,
    business_id: BusinessId,
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: "Batch", examples: [batchExample] });

export const BatchReport = z
  .object({
    reasons: z.array(z.object({ reason: z.enum(skipReasons), count: z.int() })).meta({
      description:
        "Why payment links were left as they are. `mailed_often`: a reminder waits for the payer or went to them within the last hour, or mails were sent again five times in it. Of a `send`: a mail has asked the payer already, or waits.",
    }),
    skipped: z
      .array(z.object({ reason: z.enum(skipReasons), payment_link: PaymentLink }))
      .meta({ description: "The first 500 of them." }),
    mailed: z.int().meta({
      description:
        "Of a `cancel`, the undo of an import among them: how many of the cancelled payment links their payers had in a mail, or may have had. Such a mail is `sent` or `unknown`.",
    }),
    mailed_links: z.array(PaymentLink).meta({ description: "The first 500 of those." }),
    with_reminders: z.int().meta({
      description:
        "Of a `send` that was stopped: how many open payment links that neither it nor another mail reached have reminders to come, by a schedule of their own. Those of the settings were withdrawn from them.",
    }),
  })
  .meta({
    id: "BatchReport",
    examples: [
      {
        reasons: [{ reason: "paid", count: 3 }],
        skipped: [
          { reason: "paid", payment_link: { ...paymentLinkExample, status: "Paid", paid: true } },
        ],
        mailed: 1200,
        mailed_links: [{ ...paymentLinkExample, status: "Cancelled" }],
        with_reminders: 0,
      },
    ],
  });

export type BatchInput = z.output<typeof BatchInput>;
export type BatchSelection = z.output<typeof BatchSelection>;
export type Batch = z.output<typeof Batch>;
export type BatchReport = z.output<typeof BatchReport>;

const BatchParams = z.object({ batch_id: Id });
export const BatchQuery = listQuery(["created_from", "created_to"], batchStatuses).extend({
  open: Flag.optional().meta({ description: "Not ended: `waiting` or `running`." }),
});
export type BatchQuery = z.output<typeof BatchQuery>;

const tag = "Batches";
const one = { params: BatchParams, response: Batch, tag };

export const createBatch = endpoint({
  id: "createBatch",
  method: "POST",
  path: "/batches",
  tag,
  cost: 5,
  summary: "Change many payment links",
  query: BatchSelection,
  body: BatchInput,
  response: Batch,
  description:
    "Cancels, extends or reminds up to 50,000 payment links: those in `ids`, or those that the query matches. The query takes the filters of the list of payment links. The answer comes before the work is done; get the batch to follow it. A link that cannot be changed is skipped, and the report says why. `extend` gives no link less time than it has, unless `shorten` is true.",
  conflict: "Another number of payment links matches than `expected`, or none at all.",
  noGateway: "`remind` in live mode, as long as no gateway is connected.",
});
export const listBatches = endpoint({
  id: "listBatches",
  method: "GET",
  path: "/batches",
  tag,
  summary: "List batches",
  description: "Newest first. The list shows how far each batch is.",
  query: BatchQuery,
  response: page(Batch),
});
export const getBatch = endpoint({
  ...one,
  id: "getBatch",
  method: "GET",
  path: "/batches/{batch_id}",
  summary: "Get a batch",
  description: "Its state, and how many links were changed, left as they were or failed so far.",
});
export const getBatchReport = endpoint({
  ...one,
  id: "getBatchReport",
  method: "GET",
  path: "/batches/{batch_id}/report",
  summary: "Get what a batch skipped",
  description:
    "Why links were left as they were: how many for each reason, and the first 500 links.",
  response: BatchReport,
});
export const stopBatch = endpoint({
  ...one,
  id: "stopBatch",
  method: "POST",
  path: "/batches/{batch_id}/stop",
  summary: "Stop a batch",
  description:
    "What is done stays; the rest is not done. Mails that have not started are not sent. The payment links that a `send` did not reach lose the default reminders of the settings, and keep a schedule of their own. Where an undo is stopped, the rest can be undone again.",
  conflict: "The batch is already done or stopped.",
});
export const undoBatch = endpoint({
  ...one,
  id: "undoBatch",
  method: "POST",
  path: "/batches/{batch_id}/undo",
  cost: 5,
  summary: "Undo a batch",
  description:
    "Stops the batch if it still runs, and starts another one that gives back what was changed. Cancelled links are reopened, extended ones get their former expiry and due date, and those of an import are cancelled. Links that were changed since, paid ones among them, are skipped. Answers with the new batch.",
  conflict:
    "The batch sent mails, changed nothing, undid another batch, was undone before, or finished more than 30 days ago.",
});
