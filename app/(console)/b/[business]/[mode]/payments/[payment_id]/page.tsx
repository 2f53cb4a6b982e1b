import type { Metadata } from "next";
import { PaymentDetail } from "@/components/payments/detail";

export const metadata: Metadata = { title: "Payment" };

type Props = { params: Promise<{ payment_id: string }> };

export default async function Page({ params }: Props) {
  return <PaymentDetail id={(await params).payment_id} />;
}
