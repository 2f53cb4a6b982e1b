import type { Metadata } from "next";
import { PageData } from "@/components/console/page-data";
import { CustomerList } from "@/components/customers/list";
import { customerFilters } from "@/components/customers/list-filters";
import { listQueryOf, type Search } from "@/lib/client/list-query";
import { reading } from "@/lib/client/page-data";
import { listCustomers } from "@/lib/contract/operations";

export const metadata: Metadata = { title: "Customers" };

type Props = {
  params: Promise<{ business: string; mode: string }>;
  searchParams: Promise<Search>;
};

export default async function Page({ params, searchParams }: Props) {
  const query = listQueryOf(customerFilters, await searchParams);
  return (
    <PageData params={params} reads={query ? [reading(listCustomers, { query })] : []}>
      <CustomerList />
    </PageData>
  );
}
