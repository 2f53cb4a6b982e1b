import type { Metadata } from "next";
import { EndpointDetail } from "@/components/webhooks/endpoint-detail";

export const metadata: Metadata = { title: "Webhook endpoint" };

type Props = { params: Promise<{ webhook_endpoint_id: string }> };

export default async function Page({ params }: Props) {
  return <EndpointDetail id={(await params).webhook_endpoint_id} />;
}
