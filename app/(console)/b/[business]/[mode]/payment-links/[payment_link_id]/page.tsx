import type { Metadata } from "next";
import { LinkDetail } from "@/components/payment-links/detail";

export const metadata: Metadata = { title: "Payment link" };

type Props = { params: Promise<{ payment_link_id: string }> };

export default async function Page({ params }: Props) {
  return <LinkDetail id={(await params).payment_link_id} />;
}
