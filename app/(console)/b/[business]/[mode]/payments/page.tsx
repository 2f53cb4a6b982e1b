import type { Metadata } from "next";
import { PageData } from "@/components/console/page-data";
import { PaymentList } from "@/components/payments/list";
import { paymentFilters } from "@/components/payments/list-filters";
import { customersOf } from "@/components/record/customers-of";
import { listQueryOf, type Search } from "@/lib/client/list-query";
import { reading } from "@/lib/client/page-data";
import { listCustomers, listPayments } from "@/lib/contract/operations";

export const metadata: Metadata = { title: "Payments" };

type Props = {
  params: Promise<{ business: string; mode: string }>;
  searchParams: Promise<Search>;
};

export default async function Page({ params, searchParams }: Props) {
  const query = listQueryOf(paymentFilters, await searchParams);
  return (
    <PageData
      params={params}
      reads={
        query
          ? [
              reading(listPayments, { query }, ({ data }) =>
                data.length > 0 ? [reading(listCustomers, customersOf("payment_ids", data))] : [],
              ),
            ]
          : []
      }
    >
      <PaymentList />
    </PageData>
  );
}
