import type { Metadata } from "next";
import { openBatches } from "@/components/batches/words";
import { PageData } from "@/components/console/page-data";
import { LinkDetail } from "@/components/payment-links/detail";
import { reading } from "@/lib/client/page-data";
import {
  getPaymentLink,
  getPaymentLinkTimeline,
  listBatches,
  listMails,
  listPayments,
} from "@/lib/contract/operations";

export const metadata: Metadata = { title: "Payment link" };

type Props = { params: Promise<{ business: string; mode: string; payment_link_id: string }> };

export default async function Page({ params }: Props) {
  const { payment_link_id: id } = await params;
  const link = { payment_link_id: id };
  return (
    <PageData
      params={params}
      reads={[
        reading(getPaymentLink, { params: link }),
        reading(getPaymentLinkTimeline, { params: link }),
        reading(listPayments, { query: { ...link, per_page: 50 } }),
        reading(listMails, { query: { ...link, per_page: 20 } }),
        reading(listBatches, { query: openBatches }),
      ]}
    >
      <LinkDetail id={id} />
    </PageData>
  );
}
