import { readPaymentSearch } from "@/db/settings";
import { unscopedConnectionNames } from "@/lib/domain/gateway-connections/rows";
import { gatewayFor } from "@/lib/gateways/registry";

/**
 * What the operator has to know after a restore, in sentences: what is undone, what the worker searches for, and which connections people
 * have to search themselves. Empty when the search is done.
 */
export async function sinceRestore(): Promise<string[]> {
  const search = await readPaymentSearch();
  if (!search) return [];
  const byHand = (await unscopedConnectionNames()).flatMap(({ id, businessId, mode, gateway }) => {
    const found = gatewayFor(gateway);
    return found?.listSince === null
      ? [
          `${found.title} has no list of payments: compare those made after ${search.since} by hand, for connection ${id} of business ${businessId}, ${mode} mode`,
        ]
      : [];
  });
  return [
    `what was cancelled, revoked, removed or recorded by hand after ${search.since} is as it was before. Subscriptions that were cancelled are charged again, and keys that were revoked work again: look at both, at members and at gateway connections before a worker runs`,
    `the worker searches the gateways for payments, refunds and disputes made after ${search.since}, for two hours at least. It books those of known records and shows the rest under Settings → Payment provider. No subscription period is charged twice`,
    ...byHand,
  ];
}
