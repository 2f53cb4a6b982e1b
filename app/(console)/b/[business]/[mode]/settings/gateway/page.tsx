import type { Metadata } from "next";
import { GatewaySettings } from "@/components/settings/gateway/page";

export const metadata: Metadata = { title: "Gateway" };

export default function Page() {
  return <GatewaySettings />;
}
