import type { Metadata } from "next";
import { BusinessSettings } from "@/components/settings/business";

export const metadata: Metadata = { title: "Business" };

export default function Page() {
  return <BusinessSettings />;
}
