import type { Metadata } from "next";
import { SubscriptionDetail } from "@/components/subscriptions/detail";

export const metadata: Metadata = { title: "Subscription" };

type Props = { params: Promise<{ subscription_id: string }> };

export default async function Page({ params }: Props) {
  return <SubscriptionDetail id={(await params).subscription_id} />;
}
