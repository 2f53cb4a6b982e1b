import type { Metadata } from "next";
import { PageData } from "@/components/console/page-data";
import { CustomerDetail } from "@/components/customers/detail";
import { reading } from "@/lib/client/page-data";
import {
  getBusiness,
  getCustomer,
  getCustomerTimeline,
  getCustomerTotals,
} from "@/lib/contract/operations";

export const metadata: Metadata = { title: "Customer" };

type Props = { params: Promise<{ business: string; mode: string; customer_id: string }> };

export default async function Page({ params }: Props) {
  const { customer_id: id } = await params;
  const one = { params: { customer_id: id } };
  return (
    <PageData
      params={params}
      reads={[
        reading(getCustomer, one),
        reading(getCustomerTotals, one),
        reading(getCustomerTimeline, one),
        reading(getBusiness, {}),
      ]}
    >
      <CustomerDetail id={id} />
    </PageData>
  );
}
