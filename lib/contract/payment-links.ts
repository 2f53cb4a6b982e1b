import * as z from "zod";
import { endpoint } from "./endpoint";
import { page } from "./envelope";
import { AmountDecimal, AmountOut, Currency, Description, Email, Flag, FutureMoment, Id, MinorAmount, PhoneNo, Reference, Timestamp, Title, WebUrl } from "./fields";
import { listQuery } from "./lists";

export const linkStatuses = ["Active", "Processing", "Paid", "Expired", "Cancelled"] as const;

/** What create and update take; the same required set for both. */
export const PaymentLinkInput = z
  .object({
    email: Email.describe("Payer's email address."),
    currency: Currency,
    amount: MinorAmount,
    title: Title,
    phone_no: PhoneNo.optional().describe("Payer's phone number."),
    description: Description.optional(),
    redirect_url: WebUrl.optional().describe("Where the payer is sent after payment; when absent, to the thank-you page."),
    reference: Reference.optional().describe("First payment reference."),
    reference_2: Reference.optional().describe("Second payment reference."),
    send_email: Flag.optional().describe("On create, false keeps the payer's e-mail back. On update, mail is sent only when this is true."),
    expires_at: FutureMoment.optional().describe("The link takes no money after this moment."),
  })
  .meta({ id: "PaymentLinkInput" });

export const PaymentLink = z
  .object({
    _id: Id,
    email: z.string(),
    currency: z.string(),
    amount: AmountOut,
    amount_decimal: AmountDecimal,
    title: z.string(),
    phone_no: z.string().nullable(),
    description: z.string().nullable(),
    redirect_url: z.string().nullable(),
    reference: z.string().nullable(),
    reference_2: z.string().nullable(),
    status: z.enum(linkStatuses),
    payment_url: z.string(),
    business_id: z.int(),
    paid: z.boolean(),
    expires_at: Timestamp.nullable(),
    paid_at: Timestamp.nullable(),
    subscription_id: Id.nullable(),
    created_at: Timestamp,
    updated_at: Timestamp,
  })
  .meta({ id: "PaymentLink" });

export type PaymentLinkInput = z.output<typeof PaymentLinkInput>;
export type PaymentLink = z.output<typeof PaymentLink>;

export const PaymentLinkParams = z.object({ payment_link_id: Id });

export const PaymentLinkQuery = listQuery(
  ["paid", "email", "reference", "reference_2", "currency", "amount_min", "amount_max", "created_from", "created_to", "subscription_id", "q"],
  linkStatuses,
  true,
);
export type PaymentLinkQuery = z.output<typeof PaymentLinkQuery>;

const tag = "Payment links";
const one = { params: PaymentLinkParams, response: PaymentLink, tag };

export const createPaymentLink = endpoint({
  id: "createPaymentLink", method: "POST", path: "/payment-links", tag, money: true,
  summary: "Create a payment link", body: PaymentLinkInput, response: PaymentLink,
  description: "The answer's `payment_url` is where the payer pays. Unless `send_email` is false, the payer is told by e-mail.",
});
export const listPaymentLinks = endpoint({
  id: "listPaymentLinks", method: "GET", path: "/payment-links", tag, summary: "List payment links", query: PaymentLinkQuery, response: page(PaymentLink),
});
export const getPaymentLink = endpoint({ ...one, id: "getPaymentLink", method: "GET", path: "/payment-links/{payment_link_id}", summary: "Get a payment link" });
export const updatePaymentLink = endpoint({
  ...one, id: "updatePaymentLink", method: "PUT", path: "/payment-links/{payment_link_id}", summary: "Update a payment link", body: PaymentLinkInput,
  description: "Replaces: an omitted optional field becomes null. The address never changes. 409 while a payment is being processed and once it is paid.",
});
export const deletePaymentLink = endpoint({
  ...one, id: "deletePaymentLink", method: "DELETE", path: "/payment-links/{payment_link_id}", summary: "Delete a payment link",
  description: "Answers with the link as it last was. The payer then finds a page that says it is gone.",
});
export const cancelPaymentLink = endpoint({
  ...one, id: "cancelPaymentLink", method: "POST", path: "/payment-links/{payment_link_id}/cancel", summary: "Cancel a payment link",
});
export const reopenPaymentLink = endpoint({
  ...one, id: "reopenPaymentLink", method: "POST", path: "/payment-links/{payment_link_id}/reopen", summary: "Reopen a cancelled payment link", money: true,
});
