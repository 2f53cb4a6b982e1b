import { useEndpoint } from "@/lib/client/hooks";
import type { Asked } from "@/lib/client/call";
import type { Business } from "@/lib/contract/business";
import { listPaymentLinks } from "@/lib/contract/operations";

/** What is read to know them: the newest payment links of this mode. */
export const newestLinks: Asked<typeof listPaymentLinks> = { query: { per_page: 10 } };

/** The currencies that the business used last in this mode, the latest first, then its default. `settled` once that is known or cannot be. */
export function useRecentCurrencies(business: Pick<Business, "default_currency"> | undefined) {
  const newest = useEndpoint(listPaymentLinks, newestLinks);
  const used = newest.data?.data.map(({ currency }) => currency) ?? [];
  return {
    newest,
    settled: !newest.isPending,
    codes: [...new Set(business ? [...used, business.default_currency] : used)],
  };
}
