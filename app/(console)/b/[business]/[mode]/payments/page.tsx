import type { Metadata } from "next";
import { PaymentList } from "@/components/payments/list";

export const metadata: Metadata = { title: "Payments" };

export default function Page() {
  return <PaymentList />;
}
