import type { Metadata } from "next";
import { EditSubscription } from "@/components/subscriptions/edit";

export const metadata: Metadata = { title: "Edit subscription" };

type Props = { params: Promise<{ subscription_id: string }> };

export default async function Page({ params }: Props) {
  return <EditSubscription id={(await params).subscription_id} />;
}
