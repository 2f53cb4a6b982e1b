import type { Metadata } from "next";
import { DeliveryDetail } from "@/components/webhooks/delivery-detail";

export const metadata: Metadata = { title: "Delivery" };

type Props = { params: Promise<{ webhook_delivery_id: string }> };

export default async function Page({ params }: Props) {
  return <DeliveryDetail id={(await params).webhook_delivery_id} />;
}
