import type { Metadata } from "next";
import { PageData } from "@/components/console/page-data";
import { LinkList } from "@/components/payment-links/list";
import { linkFilters } from "@/components/payment-links/list-filters";
import { customersOf } from "@/components/record/customers-of";
import { listQueryOf, type Search } from "@/lib/client/list-query";
import { openBatches } from "@/components/batches/words";
import { reading } from "@/lib/client/page-data";
import { listBatches, listCustomers, listPaymentLinks } from "@/lib/contract/operations";

export const metadata: Metadata = { title: "Payment links" };

type Props = {
  params: Promise<{ business: string; mode: string }>;
  searchParams: Promise<Search>;
};

export default async function Page({ params, searchParams }: Props) {
  const query = listQueryOf(linkFilters, await searchParams);
  return (
    <PageData
      params={params}
      reads={
        query
          ? [
              reading(listPaymentLinks, { query }, ({ data }) =>
                data.length > 0
                  ? [reading(listCustomers, customersOf("payment_link_ids", data))]
                  : [],
              ),
              reading(listBatches, { query: openBatches }),
            ]
          : []
      }
    >
      <LinkList />
    </PageData>
  );
}
