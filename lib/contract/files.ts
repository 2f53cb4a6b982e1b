import { BatchQuery } from "./batches";
import { AuditQuery, listAuditLog } from "./business";
import { CustomerQuery } from "./customers";
import { endpoint } from "./endpoint";
import { EventQuery } from "./events";
import { LedgerQuery } from "./ledger";
import { MailQuery } from "./mails";
import { PaymentLinkParams, PaymentLinkQuery } from "./payment-links";
import { PaymentParams, PaymentQuery } from "./payments";
import { PackageQuery } from "./packages";
import { RequestLogQuery } from "./request-log";
import { SubscriptionQuery } from "./subscriptions";
import { TokenizationQuery, TokenParams } from "./tokenizations";
import { StatementParams } from "./statements";
import { WebhookDeliveryQuery } from "./webhooks";
import * as z from "zod";

/** Endpoints that return a file instead of the envelope. Staff, who follow a link there, name business and mode in the query. */

const file = z.string();
const paging = { per_page: true, page: true, cursor: true } as const;
export const PaymentLinkExportQuery = PaymentLinkQuery.omit(paging);
export const PaymentExportQuery = PaymentQuery.omit(paging);
export const CustomerExportQuery = CustomerQuery.omit({
  ...paging,
  payment_ids: true,
  payment_link_ids: true,
});
export const SubscriptionExportQuery = SubscriptionQuery.omit(paging);
export const PackageExportQuery = PackageQuery.omit(paging);
export const TokenizationExportQuery = TokenizationQuery.omit(paging);
export const LedgerExportQuery = LedgerQuery.omit(paging);
export const EventExportQuery = EventQuery.omit({ ...paging, after: true });
export const BatchExportQuery = BatchQuery.omit(paging);
export const MailExportQuery = MailQuery.omit(paging);
export const RequestLogExportQuery = RequestLogQuery.omit(paging);
export const DeliveryExportQuery = WebhookDeliveryQuery.omit(paging);
export const AuditExportQuery = AuditQuery.omit(paging);

const localTimes =
  "Behind these columns each moment comes again, in the business's time zone, such as `2026-11-01 00:30:00`. The header names the zone: `created_at (Asia/Kuala_Lumpur)`. New columns are added before these, so programs read columns by name.";
const csv = { method: "GET", cost: 5, media: "text/csv", response: file } as const;
const all = `Every row that the filters match, in the list's order, as it goes; no paging. An apostrophe precedes each part of a text that a spreadsheet would take for a formula, also where it splits at semicolons or tabs. A bulk call in CSV takes these apostrophes away again. A file for signed-in staff begins with a byte order mark, one for a key does not. ${localTimes}`;

export const exportPaymentLinks = endpoint({
  ...csv,
  id: "exportPaymentLinks",
  path: "/payment-links/export",
  tag: "Payment links",
  summary: "Export payment links as CSV",
  query: PaymentLinkExportQuery,
  description: all,
});
export const exportPayments = endpoint({
  ...csv,
  id: "exportPayments",
  path: "/payments/export",
  tag: "Payments",
  summary: "Export payments as CSV",
  query: PaymentExportQuery,
  description: `\`net_booked\` is what the balance has of a payment in its currency: \`amount\` less refunds, disputes and fees. ${all}`,
});
export const exportCustomers = endpoint({
  ...csv,
  id: "exportCustomers",
  path: "/customers/export",
  tag: "Customers",
  summary: "Export customers as CSV",
  query: CustomerExportQuery,
  description: all,
});
export const exportSubscriptions = endpoint({
  ...csv,
  id: "exportSubscriptions",
  path: "/subscriptions/export",
  tag: "Subscriptions",
  summary: "Export subscriptions as CSV",
  query: SubscriptionExportQuery,
  description: all,
});
export const exportPackages = endpoint({
  ...csv,
  id: "exportPackages",
  path: "/packages/export",
  tag: "Packages",
  summary: "Export packages as CSV",
  query: PackageExportQuery,
  description: all,
});
export const exportTokenizations = endpoint({
  ...csv,
  id: "exportTokenizations",
  path: "/tokenizations/export",
  tag: "Tokenizations",
  summary: "Export tokenizations as CSV",
  query: TokenizationExportQuery,
  description: all,
});
export const exportLedgerEntries = endpoint({
  ...csv,
  id: "exportLedgerEntries",
  path: "/ledger-entries/export",
  tag: "Balance",
  summary: "Export ledger entries as CSV",
  query: LedgerExportQuery,
  description: all,
});

export const exportEvents = endpoint({
  ...csv,
  id: "exportEvents",
  path: "/events/export",
  tag: "Events",
  summary: "Export events as CSV",
  query: EventExportQuery,
  description: `${all} A row names the object of the event, with the fields that most objects have.`,
});
export const exportWebhookDeliveries = endpoint({
  ...csv,
  id: "exportWebhookDeliveries",
  path: "/webhook-deliveries/export",
  tag: "Webhooks",
  summary: "Export deliveries as CSV",
  query: DeliveryExportQuery,
  description: `${all} What was sent and answered is left out.`,
});
export const exportBatches = endpoint({
  ...csv,
  id: "exportBatches",
  path: "/batches/export",
  tag: "Batches",
  summary: "Export batches as CSV",
  query: BatchExportQuery,
  description: all,
});
export const exportMails = endpoint({
  ...csv,
  id: "exportMails",
  path: "/mails/export",
  tag: "Mails",
  access: "staff",
  summary: "Export mails as CSV",
  query: MailExportQuery,
  description: `${all} What the mails say is left out.`,
});
export const exportRequestLog = endpoint({
  ...csv,
  id: "exportRequestLog",
  path: "/request-log/export",
  tag: "Request log",
  access: "staff",
  summary: "Export the request log as CSV",
  query: RequestLogExportQuery,
  description: `${all} Headers and bodies are left out.`,
});
export const exportAuditLog = endpoint({
  ...csv,
  id: "exportAuditLog",
  path: "/audit-log/export",
  tag: "Business",
  access: "staff",
  roles: listAuditLog.roles,
  summary: "Export the audit log as CSV",
  query: AuditExportQuery,
  description: all,
});

export const exportStatement = endpoint({
  ...csv,
  id: "exportStatement",
  path: "/statements/{month}/export",
  tag: "Balance",
  summary: "Export a month's statement as CSV",
  params: StatementParams,
  description: `Every line, oldest first, with amounts as decimals. ${localTimes}`,
});
export const getStatementPdf = endpoint({
  id: "getStatementPdf",
  method: "GET",
  cost: 5,
  path: "/statements/{month}/pdf",
  tag: "Balance",
  media: "application/pdf",
  summary: "Get a month's statement as PDF",
  params: StatementParams,
  response: file,
  description: "The sums, and the first 500 lines. The CSV export has all lines.",
});

const qr = {
  method: "GET",
  cost: 1,
  tag: "Payment links",
  params: PaymentLinkParams,
  response: file,
  description: "Leads to the link's `payment_url`.",
} as const;
export const getPaymentLinkQrSvg = endpoint({
  ...qr,
  id: "getPaymentLinkQrSvg",
  path: "/payment-links/{payment_link_id}/qr.svg",
  media: "image/svg+xml",
  summary: "Get a payment link's QR code as SVG",
});
export const getPaymentLinkQrPng = endpoint({
  ...qr,
  id: "getPaymentLinkQrPng",
  path: "/payment-links/{payment_link_id}/qr.png",
  media: "image/png",
  summary: "Get a payment link's QR code as PNG",
});

const activationQr = {
  method: "GET",
  cost: 1,
  tag: "Tokenizations",
  roles: ["owner", "admin", "staff"],
  params: TokenParams,
  response: file,
  description: "Leads to the token's `activation_url`.",
  conflict: "The payer can no longer save a payment method for the token.",
} as const;
export const getActivationQrSvg = endpoint({
  ...activationQr,
  id: "getActivationQrSvg",
  path: "/tokenizations/{token}/qr.svg",
  media: "image/svg+xml",
  summary: "Get an activation link's QR code as SVG",
});
export const getActivationQrPng = endpoint({
  ...activationQr,
  id: "getActivationQrPng",
  path: "/tokenizations/{token}/qr.png",
  media: "image/png",
  summary: "Get an activation link's QR code as PNG",
});

export const getReceipt = endpoint({
  id: "getReceipt",
  method: "GET",
  cost: 2,
  path: "/payments/{payment_id}/receipt",
  tag: "Payments",
  media: "application/pdf",
  summary: "Get a payment's receipt as PDF",
  description: "The receipt that its payer can download.",
  params: PaymentParams,
  response: file,
  conflict: "The payment has not succeeded, or is disputed.",
});
