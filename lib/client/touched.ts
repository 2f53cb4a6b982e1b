import type { QueryClient } from "@tanstack/react-query";
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
import { keys, ownScope } from "./keys";
import type { Scope } from "./scope";

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
  // Name and time zone are also part of who is signed in.
  business: [getBusiness, getLastEdit, getMe],
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

/**
 * Asks again for all that is on screen under the tags of these endpoints; the rest is asked for when it is shown. A first answer that is on its way
 * may be older than the change, so that it is not waited for.
 */
export const askAgain = (
  client: QueryClient,
  scope: Scope | null,
  endpoints: Iterable<Known>,
): Promise<unknown> =>
  Promise.all(
    Array.from(endpoints, (endpoint) => {
      const queryKey = keys.tag(ownScope(scope, endpoint), endpoint.tag);
      // The library keeps a first request and forgets that it was made invalid.
      for (const query of client.getQueryCache().findAll({ queryKey, fetchStatus: "fetching" }))
        if (query.state.data === undefined && query.isActive()) query.cancel({ silent: true });
      return client.invalidateQueries({ queryKey });
    }),
  );
