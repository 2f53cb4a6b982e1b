import {
  getBalance,
  getBusiness,
  getLastEdit,
  getMe,
  getOverview,
  listAuditLog,
  listBatches,
  listCustomers,
  listEvents,
  listIntegrations,
  listMails,
  listPackages,
  listPaymentLinks,
  listPayments,
  listSavedViews,
  listSubscriptions,
  listTokenizations,
  listWebhookDeliveries,
  listWebhookEndpoints,
  search,
} from "@/lib/contract/operations";
import type { Known } from "./call";

/** Endpoints of the tags that show payments and refunds, in timelines and sums besides lists. */
export const touchedByMoney: readonly Known[] = [
  listCustomers,
  listPayments,
  getBalance,
  listPaymentLinks,
  listSubscriptions,
  listTokenizations,
  listMails,
  getOverview,
];

const byNoun: Record<string, readonly Known[]> = {
  payment: touchedByMoney,
  refund: touchedByMoney,
  payment_link: [
    listCustomers,
    listPaymentLinks,
    listMails,
    getOverview,
    listSubscriptions,
    getLastEdit,
  ],
  tokenization: [listCustomers, listTokenizations, getOverview],
  customer: [listCustomers, getLastEdit],
  batch: [listBatches],
  // Every kind of record, mail and log names payers.
  payer: [
    ...touchedByMoney,
    getLastEdit,
    listAuditLog,
    listBatches,
    listEvents,
    listSavedViews,
    listWebhookDeliveries,
    search,
  ],
  package: [listPackages, listSubscriptions, getLastEdit],
  integration: [listIntegrations],
  webhook_endpoint: [listWebhookEndpoints, getLastEdit],
  // Name and time zone are also part of who is signed in. The server counts days and plans charges in the zone; links have reminders by default.
  business: [
    getBusiness,
    getLastEdit,
    getMe,
    getOverview,
    getBalance,
    listSubscriptions,
    listPaymentLinks,
  ],
  subscription: [
    listCustomers,
    listSubscriptions,
    listPackages,
    listPaymentLinks,
    getOverview,
    getLastEdit,
  ],
};

/** Endpoints of the tags that may show a change, by the type of its event. */
export const touchedBy = (type: string): readonly Known[] => byNoun[type.split(".")[0] ?? ""] ?? [];

export const everyTouched: readonly Known[] = [...new Set(Object.values(byNoun).flat())];
