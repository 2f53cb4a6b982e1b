import * as z from "zod";
import { endpoint } from "./endpoint";
import { page } from "./envelope";
import {
  AmountDecimal,
  AmountOut,
  BusinessId,
  Currency,
  CurrencyOut,
  Description,
  Email,
  exampleOrigin,
  Flag,
  FutureMoment,
  Id,
  MinorAmount,
  Moment,
  PhoneNo,
  Reference,
  Timestamp,
  Title,
  UrlOut,
  WebUrl,
} from "./fields";
import { type FilterName, listQuery } from "./lists";
import { Reminder, Reminders } from "./reminders";
import { linkStatuses } from "./values";
import { SeenVersion, SeenVersionBody, VersionOut } from "./versions";

/** The fields of create, import and update. All require the same ones. */
export const PaymentLinkInput = z.object({
  email: Email.describe("Payer's email address."),
  currency: Currency,
  amount: MinorAmount,
  title: Title,
  phone_no: PhoneNo.optional().describe("Payer's phone number."),
  description: Description.optional(),
  redirect_url: WebUrl.optional().describe(
    "Where the payer is sent after payment. Default: the thank-you page.",
  ),
  reference: Reference.optional().describe("First payment reference."),
  reference_2: Reference.optional().describe("Second payment reference."),
  send_email: Flag.optional().describe(
    "On create, a mail to the payer is written unless this is false. On update, only when it is true.",
  ),
  expires_at: FutureMoment.optional().describe("After this moment the link cannot be paid."),
  due_at: Moment.optional().describe(
    "The payment is due by this moment, which is not after `expires_at`. The link can still be paid after it.",
  ),
  reminders: Reminders.optional().describe(
    "When the payer is reminded. Absent: by the default of the business's settings, where it is on. `[]`: never.",
  ),
});

/** A new link takes the fields of a link and the clock that it follows. */
export const PaymentLinkCreate = PaymentLinkInput.extend({
  test_clock_id: z.string().optional().meta({
    description:
      "In test mode: follow this clock instead of the real one. Due date, expiry and reminders go by it.",
  }),
}).meta({
  id: "PaymentLinkInput",
  examples: [
    {
      email: "ana@example.com",
      currency: "MYR",
      amount: 12550,
      title: "Invoice 1042",
      reference: "INV-1042",
      redirect_url: "https://shop.example/thanks",
    },
  ],
});

/** A PUT takes the fields of create and the version that the change is based on. */
export const PaymentLinkUpdate = PaymentLinkInput.extend({ version: SeenVersion }).meta({
  id: "PaymentLinkUpdate",
  examples: [
    {
      email: "ana@example.com",
      currency: "MYR",
      amount: 12550,
      title: "Invoice 1042",
      reference: "INV-1042",
    },
  ],
});

export const paymentLinkExample = {
  _id: "6740f1c09a3be27d51c8e4f0",
  email: "ana@example.com",
  currency: "MYR",
  amount: 12550,
  amount_decimal: "125.50",
  title: "Invoice 1042",
  phone_no: null,
  description: null,
  redirect_url: "https://shop.example/thanks",
  reference: "INV-1042",
  reference_2: null,
  status: "Active",
  payment_url: `${exampleOrigin}/pay?id=6740f1c09a3be27d51c8e4f0&test=true`,
  business_id: 1001,
  paid: false,
  expires_at: null,
  due_at: null,
  overdue: false,
  reminders: null,
  default_reminders: [] as Reminder[],
  paid_at: null,
  subscription_id: null,
  import_id: null,
  integration_id: null,
  test_clock_id: null,
  version: 1,
  created_at: "2026-11-20T13:34:45.423258Z",
  updated_at: "2026-11-20T13:34:45.423258Z",
} as const;

export const PaymentLink = z
  .object({
    _id: Id,
    email: z.string().meta({ description: "Payer's email address, as sent." }),
    currency: CurrencyOut,
    amount: AmountOut,
    amount_decimal: AmountDecimal,
    title: z.string(),
    phone_no: z.string().nullable(),
    description: z.string().nullable(),
    redirect_url: UrlOut.nullable(),
    reference: z.string().nullable(),
    reference_2: z.string().nullable(),
    status: z
      .enum(linkStatuses)
      .meta({ description: "`Processing`: the gateway has not given its final answer yet." }),
    payment_url: UrlOut.describe("Where the payer pays."),
    business_id: BusinessId,
    paid: z
      .boolean()
      .meta({ description: "True exactly when `status` is `Paid`; refunds do not change it." }),
    expires_at: Timestamp.nullable().describe("After this moment the link cannot be paid."),
    due_at: Timestamp.nullable().describe(
      "The payment is due by this moment. The link can still be paid after it.",
    ),
    overdue: z.boolean().meta({
      description:
        "True when `due_at` has passed and the link waits to be paid: `Active` or `Processing`. No event is sent when it becomes true.",
    }),
    reminders: z.array(Reminder).nullable().meta({
      description:
        "Null: by the default that the business's settings had when the link was created.",
    }),
    default_reminders: z.array(Reminder).meta({
      description:
        "What null in `reminders` means now: the default that the business's settings had when the link was created. `[]`: none, for a link without a mail, and while the settings' default is off. No event is sent when it changes.",
    }),
    paid_at: Timestamp.nullable(),
    subscription_id: Id.nullable().describe("Set on the link of a subscription's period."),
    import_id: Id.nullable().describe("Set on a link that an import created."),
    integration_id: Id.nullable().describe(
      "Set on a link that a shop plugin created at `/api/v1`.",
    ),
    test_clock_id: Id.nullable().describe("The test clock it follows."),
    version: VersionOut,
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: "PaymentLink", examples: [paymentLinkExample] });

export type PaymentLinkInput = z.output<typeof PaymentLinkInput>;
export type PaymentLinkCreate = z.output<typeof PaymentLinkCreate>;
export type PaymentLinkUpdate = z.output<typeof PaymentLinkUpdate>;
export type PaymentLink = z.output<typeof PaymentLink>;

export const PaymentLinkParams = z.object({ payment_link_id: Id });

/** The filters that read each field; none for a text that only the search reads. A new filter is declared in `lists.ts` first. */
const fieldFilters = {
  email: ["email"],
  reference: ["reference"],
  reference_2: ["reference_2"],
  currency: ["currency"],
  amount: ["amount_min", "amount_max"],
  title: [],
  description: [],
  phone_no: [],
  redirect_url: [],
  send_email: [],
  expires_at: ["has_expiry"],
  due_at: ["overdue"],
  reminders: [],
} as const satisfies Record<keyof PaymentLinkInput, readonly FilterName[]>;

export const PaymentLinkQuery = listQuery(
  [
    "paid",
    "open",
    "mailed",
    "opened",
    "tried",
    ...Object.values(fieldFilters).flat(),
    "created_from",
    "created_to",
    "subscription_id",
    "import_id",
    "integration_id",
    "test_clock_id",
    "ids",
    "q",
  ],
  linkStatuses,
  ["amount", "email"],
);
export type PaymentLinkQuery = z.output<typeof PaymentLinkQuery>;

const tag = "Payment links";
const linkConflict =
  "A payment is being processed, the link is paid, it belongs to a subscription period, or the payer's open attempt could not be cancelled at the gateway.";
const one = { params: PaymentLinkParams, response: PaymentLink, tag };

export const createPaymentLink = endpoint({
  id: "createPaymentLink",
  method: "POST",
  path: "/payment-links",
  tag,
  money: true,
  summary: "Create a payment link",
  body: PaymentLinkCreate,
  response: PaymentLink,
  description:
    "The answer's `payment_url` is where the payer pays. Unless `send_email` is false, a mail with it is written to the payer. `amount` is in **minor units**. Shop plugins of Swipe and Payje send major units. A request that looks like theirs is a 422 on `amount`: it has their mark in `reference_2` and a User-Agent that begins with `GuzzleHttp/`. Your own code passes with the header `Kutip-Amount-Unit: minor`.",
});
export const listPaymentLinks = endpoint({
  id: "listPaymentLinks",
  method: "GET",
  path: "/payment-links",
  tag,
  summary: "List payment links",
  description: "Newest first, by either paginator.",
  query: PaymentLinkQuery,
  response: page(PaymentLink),
});
export const getPaymentLink = endpoint({
  ...one,
  id: "getPaymentLink",
  method: "GET",
  path: "/payment-links/{payment_link_id}",
  summary: "Get a payment link",
  description: "Read it again before you ship goods: `paid` says whether its money is in.",
});
export const updatePaymentLink = endpoint({
  ...one,
  id: "updatePaymentLink",
  method: "PUT",
  path: "/payment-links/{payment_link_id}",
  summary: "Update a payment link",
  versioned: true,
  body: PaymentLinkUpdate,
  description:
    "Replaces: an omitted optional field becomes null. `_id` and `payment_url` never change.",
  conflict: `${linkConflict} Also when it is expired and its test clock is deleted.`,
});
export const deletePaymentLink = endpoint({
  ...one,
  id: "deletePaymentLink",
  method: "DELETE",
  path: "/payment-links/{payment_link_id}",
  summary: "Delete a payment link",
  versioned: true,
  description:
    "Answers with the link as it last was. The payer then finds a page that says it is gone.",
  conflict: linkConflict,
});
export const cancelPaymentLink = endpoint({
  ...one,
  id: "cancelPaymentLink",
  method: "POST",
  path: "/payment-links/{payment_link_id}/cancel",
  summary: "Cancel a payment link",
  versioned: true,
  body: SeenVersionBody,
  mayBeEmpty: true,
  description: "The link takes no money until it is reopened.",
  conflict: `${linkConflict} Also when it is cancelled already.`,
});
export const reopenPaymentLink = endpoint({
  ...one,
  id: "reopenPaymentLink",
  method: "POST",
  path: "/payment-links/{payment_link_id}/reopen",
  summary: "Reopen a cancelled payment link",
  versioned: true,
  body: SeenVersionBody,
  mayBeEmpty: true,
  money: true,
  description: "The link can be paid again at the same address.",
  conflict:
    "The link is not cancelled, belongs to a subscription period, or follows a test clock that is deleted. Also where its payer was erased.",
});
export const sendPaymentLink = endpoint({
  ...one,
  id: "sendPaymentLink",
  method: "POST",
  path: "/payment-links/{payment_link_id}/send",
  summary: "Send a payment link by e-mail",
  money: true,
  payable: true,
  conflict: "The payer of the link was erased.",
  description:
    "Mails the link to its payer and changes nothing else: a payer who is at the gateway is not disturbed. Mails of one link are sent again at most 5 times an hour, then 429.",
});
