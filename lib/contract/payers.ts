import * as z from "zod";
import { endpoint } from "./endpoint";
import { Email, Id, Mode, Timestamp } from "./fields";

export const PayerInput = z
  .object({ email: Email.describe("The payer's address.") })
  .meta({ id: "PayerInput", examples: [{ email: "ana@example.com" }] });

const count = z.int().min(0);

/** A payment or refund because of which the payer cannot be erased now. */
const Refusal = z.object({
  object: z.enum(["payment", "refund"]),
  _id: Id,
  mode: Mode,
  status: z.string(),
});

/** Where copies stay, and until when at the latest; null where Kutip does not delete them. */
const Remaining = z.object({ place: z.string(), until: Timestamp.nullable() });

const example = {
  refusals: [],
  payment_links: { all: 3, cancelled: 1 },
  subscriptions: { all: 1, cancelled: 1 },
  tokenizations: { all: 1, revoked: 1 },
  payments: 2,
  customers: 1,
  remaining: [
    { place: "The request log of this business", until: "2026-12-20T13:34:46.120004Z" },
    { place: "Backups and exports of this install", until: null },
  ],
};

export const ErasurePreview = z
  .object({
    refusals: z
      .array(Refusal)
      .describe("Money that is under way or disputed; while there is any, erasing is refused."),
    payment_links: z.object({ all: count, cancelled: count }),
    subscriptions: z.object({ all: count, cancelled: count }),
    tokenizations: z.object({ all: count, revoked: count }),
    payments: count.describe("They stay, without the payer."),
    customers: count.describe("Of the payer, one in each mode at most. They are deleted."),
    remaining: z.array(Remaining),
  })
  .meta({ id: "ErasurePreview", examples: [example] });

export const Erasure = ErasurePreview.omit({ refusals: true })
  .extend({
    mails: count.describe("To the payer, and to others about records that named the payer."),
    events: count.describe(
      "From before payers had keys, those of other payers that named this one, and those with the address within a longer word. All others are unreadable without a change.",
    ),
    kept_at_gateway: z
      .array(z.object({ tokenization_id: Id, reason: z.string() }))
      .describe(
        "Saved methods with a customer that the gateway did not delete, and pages of which it has not said whether they saved one: delete it there.",
      ),
  })
  .meta({
    id: "Erasure",
    examples: [
      {
        payment_links: example.payment_links,
        subscriptions: example.subscriptions,
        tokenizations: example.tokenizations,
        payments: 2,
        customers: 1,
        remaining: example.remaining,
        mails: 4,
        events: 0,
        kept_at_gateway: [],
      },
    ],
  });

export type ErasurePreview = z.output<typeof ErasurePreview>;
export type Erasure = z.output<typeof Erasure>;

const shared = { tag: "Payers", access: "staff", roles: ["owner", "admin"] } as const;

export const previewErasure = endpoint({
  ...shared,
  id: "previewErasure",
  method: "POST",
  path: "/payers/erasure-preview",
  summary: "Preview what erasing a payer does",
  body: PayerInput,
  response: ErasurePreview,
  description: "Of both modes. Nothing is changed.",
});
export const erasePayer = endpoint({
  ...shared,
  id: "erasePayer",
  method: "POST",
  path: "/payers/erase",
  summary: "Erase a payer",
  reauthenticate: "always",
  body: PayerInput,
  response: Erasure,
  description:
    "In both modes and for good. Cancels subscriptions and open payment links, revokes saved methods here and at the gateway, and replaces address, phone number and card everywhere. Payments, refunds and ledger keep their amounts and ids. Calling it again continues a run that broke off.",
  conflict:
    "A payment or refund of the payer is under way or disputed, or the gateway gave no definite answer.",
});
