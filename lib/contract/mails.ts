import * as z from "zod";
import { endpoint } from "./endpoint";
import { page } from "./envelope";
import { Id, Timestamp } from "./fields";
import { filters, listQuery, searchOf } from "./lists";
import { type MailKind, mailKinds, mailStatuses } from "./values";

type Subject = "payment_link" | "subscription" | "tokenization";

const subjects: Record<MailKind, Subject> = {
  payment_link: "payment_link",
  payment_reminder: "payment_link",
  receipt: "payment_link",
  refund: "payment_link",
  payment_due: "payment_link",
  payment_overdue: "payment_link",
  payment_failed: "payment_link",
  payment_unconfirmed: "payment_link",
  subscription_halted: "payment_link",
  subscription_receipt: "subscription",
  subscription_cancelled: "subscription",
  subscription_refund: "subscription",
  token_receipt: "tokenization",
  token_refund: "tokenization",
};
const kindsAbout = (subject: Subject): readonly string[] =>
  mailKinds.filter((kind) => subjects[kind] === subject);

/** Those that ask for the payment of a link. */
export const askingMailKinds: readonly string[] = kindsAbout("payment_link").filter(
  (kind) => kind !== "receipt" && kind !== "refund",
);
/** Those about a charge of a saved method alone. */
export const tokenMailKinds = kindsAbout("tokenization");
/** Those about a subscription itself. */
export const subscriptionMailKinds = kindsAbout("subscription");

const example = {
  _id: "6740f1c39a3be27d51c8e4f9",
  kind: "payment_link",
  status: "sent",
  recipient: "ana@example.com",
  subject: "Tide & Co asks you for MYR 125.50",
  tries: 1,
  error: null,
  payment_link_id: "6740f1c09a3be27d51c8e4f0",
  subscription_id: null,
  tokenization_id: null,
  resent_from: null,
  resendable: true,
  sent_at: "2026-11-20T13:34:46.900321Z",
  created_at: "2026-11-20T13:34:46.120004Z",
} as const;

export const Mail = z
  .object({
    _id: Id,
    kind: z.string(),
    status: z.enum(mailStatuses).meta({
      description:
        "`waiting`: it is sent later. Its recipient has had 50 mails of this business within a day, or a payment of its link is under way. Or it asks for money in live mode, and no gateway is connected. `kept`: not sent, since there is no mail server, or in test mode, where mail goes only to members who have proven their address. A mail that asks for the payment of a link is `kept` too once the link takes no money or has another payer. So is one after its payer has paid or was erased. `unknown`: at one try the mail server gave no definite answer, or the worker was stopped before it was written, and no later one has succeeded. The mail may have arrived; it can still be tried again.",
    }),
    recipient: z.string(),
    subject: z.string(),
    tries: z.int(),
    error: z.string().nullable().meta({
      description:
        "Why it was not sent, or not at the last try: what the mail server said, or why it is kept or could not be opened.",
    }),
    payment_link_id: Id.nullable(),
    subscription_id: Id.nullable().describe("Of a mail about a subscription itself."),
    tokenization_id: Id.nullable().describe("Of a mail about a charge of a saved method."),
    resent_from: Id.nullable().meta({ description: "The mail that this one repeats." }),
    resendable: z.boolean().meta({
      description:
        "Whether it can be sent again now: not while it waits, nor once its content is lost. A request for payment can be only while its link can be paid. One about a subscription's period also needs the same payer.",
    }),
    sent_at: Timestamp.nullable(),
    created_at: Timestamp,
  })
  .meta({ id: "Mail", examples: [example] });

const content = z
  .string()
  .describe(
    "`[erased]` once its payer was erased, or a payer whom it named. `[unreadable]` where another KUTIP_SECRET sealed it.",
  );

export const MailWithContent = Mail.extend({ html: content, text: content }).meta({
  id: "MailWithContent",
  examples: [{ ...example, html: "<!doctype html>…", text: "Tide & Co asks you for MYR 125.50 …" }],
});

export type Mail = z.output<typeof Mail>;
export type MailWithContent = z.output<typeof MailWithContent>;

const params = z.object({ mail_id: Id });
export const MailQuery = listQuery(
  ["payment_link_id", "subscription_id", "tokenization_id", "created_from", "created_to", "q"],
  mailStatuses,
).extend({
  email: filters.email.optional().meta({ description: "To this address, without case." }),
  kind: z.enum(mailKinds).optional().meta({ description: "Of this kind." }),
  q: searchOf("Part of the address or subject, or the id of the mail or of its record."),
});
export type MailQuery = z.output<typeof MailQuery>;

const shared = { tag: "Mails", access: "staff" } as const;

export const listMails = endpoint({
  ...shared,
  id: "listMails",
  method: "GET",
  path: "/mails",
  summary: "Mails to payers",
  query: MailQuery,
  response: page(Mail),
});
export const getMail = endpoint({
  ...shared,
  id: "getMail",
  method: "GET",
  path: "/mails/{mail_id}",
  summary: "A mail as the payer sees it",
  params,
  response: MailWithContent,
});
export const resendMail = endpoint({
  ...shared,
  id: "resendMail",
  method: "POST",
  path: "/mails/{mail_id}/resend",
  summary: "Send a mail again",
  params,
  response: Mail,
  description:
    "A new mail. A request to pay a link says what the link says now and goes to its present payer; any other mail has the same content. Receipts can always be sent again, a request for payment only while its link can be paid. At most 5 an hour for one payment link, then 429.",
  payable: true,
  noGateway: "A request for payment in live mode, as long as no gateway is connected.",
  conflict:
    "The mail still waits to be sent, its payer was erased, or the link of a subscription's period has another payer now.",
});
