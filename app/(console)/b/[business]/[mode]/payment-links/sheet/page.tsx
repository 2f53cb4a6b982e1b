import type { Metadata } from "next";
import { LinkSheet } from "@/components/payment-links/sheet";

export const metadata: Metadata = { title: "QR codes to print" };

export default function Page() {
  return <LinkSheet />;
}
