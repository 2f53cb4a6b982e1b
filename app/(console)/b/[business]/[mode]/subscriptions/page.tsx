import type { Metadata } from "next";
import { SubscriptionList } from "@/components/subscriptions/list";

export const metadata: Metadata = { title: "Subscriptions" };

export default function Page() {
  return <SubscriptionList />;
}
