import type { Metadata } from "next";
import { PayerErasure } from "@/components/settings/payers";

export const metadata: Metadata = { title: "Payers" };

export default function Page() {
  return <PayerErasure />;
}
