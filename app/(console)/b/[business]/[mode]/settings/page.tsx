import type { Metadata } from "next";
import { PageData } from "@/components/console/page-data";
import { BusinessSettings } from "@/components/settings/business";
import { reading } from "@/lib/client/page-data";
import { getBusiness } from "@/lib/contract/operations";

export const metadata: Metadata = { title: "Business" };

type Props = { params: Promise<{ business: string; mode: string }> };

export default function Page({ params }: Props) {
  return (
    <PageData params={params} reads={[reading(getBusiness, {})]}>
      <BusinessSettings />
    </PageData>
  );
}
