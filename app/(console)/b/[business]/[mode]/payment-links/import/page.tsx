import type { Metadata } from "next";
import { ImportLinks } from "@/components/payment-links/import";

export const metadata: Metadata = { title: "Import payment links" };

export default function Page() {
  return <ImportLinks />;
}
