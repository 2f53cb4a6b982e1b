import type { Metadata } from "next";
import { LinkList } from "@/components/payment-links/list";

export const metadata: Metadata = { title: "Payment links" };

export default function Page() {
  return <LinkList />;
}
