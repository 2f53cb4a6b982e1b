import type { Metadata } from "next";
import { GatewaySettings } from "@/components/settings/gateway/page";

export const metadata: Metadata = { title: "Payment provider" };

export default function Page() {
  return <GatewaySettings />;
}
