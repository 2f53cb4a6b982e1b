import type { Metadata } from "next";
import { EndpointList } from "@/components/webhooks/endpoint-list";

export const metadata: Metadata = { title: "Webhooks" };

export default function Page() {
  return <EndpointList />;
}
