import type { Metadata } from "next";
import { PageData } from "@/components/console/page-data";
import { Overview } from "@/components/overview/overview";
import type { Search } from "@/lib/client/list-query";
import { oneOf } from "@/lib/client/one-of";
import { reading } from "@/lib/client/page-data";
import { latestCollected } from "@/components/overview/latest-query";
import { getGoLive, getOverview, listPayments } from "@/lib/contract/operations";

export const metadata: Metadata = { title: "Overview" };

type Props = {
  params: Promise<{ business: string; mode: string }>;
  searchParams: Promise<Search>;
};

export default async function Page({ params, searchParams }: Props) {
  const { from, to } = await searchParams;
  const query = { from: oneOf(from), to: oneOf(to) };
  return (
    <PageData
      params={params}
      reads={[
        reading(getOverview, { query }),
        reading(getGoLive, {}),
        reading(listPayments, { query: latestCollected }),
      ]}
    >
      <Overview />
    </PageData>
  );
}
