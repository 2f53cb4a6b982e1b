import type { Metadata } from "next";
import { EditLink } from "@/components/payment-links/edit";

export const metadata: Metadata = { title: "Edit payment link" };

type Props = { params: Promise<{ payment_link_id: string }> };

export default async function Page({ params }: Props) {
  return <EditLink id={(await params).payment_link_id} />;
}
