import type { Metadata } from "next";
import { PageData } from "@/components/console/page-data";
import { CreateLink } from "@/components/payment-links/create";
import { newestLinks } from "@/components/form/use-recent-currencies";
import type { Search } from "@/lib/client/list-query";
import { oneOf } from "@/lib/client/one-of";
import { reading } from "@/lib/client/page-data";
import { getBusiness, getPaymentLink, listPaymentLinks } from "@/lib/contract/operations";

export const metadata: Metadata = { title: "New payment link" };

type Props = {
  params: Promise<{ business: string; mode: string }>;
  searchParams: Promise<Search>;
};

export default async function Page({ params, searchParams }: Props) {
  const search = await searchParams;
  const from = oneOf(search.from);
  const original =
    from === null ? [] : [reading(getPaymentLink, { params: { payment_link_id: from } })];
  return (
    <PageData
      params={params}
      reads={[reading(getBusiness, {}), reading(listPaymentLinks, newestLinks), ...original]}
    >
      <CreateLink
        key={from}
        from={from}
        currency={oneOf(search.currency)}
        customerId={oneOf(search.customer)}
      />
    </PageData>
  );
}
