import type { Metadata } from "next";
import { BatchDetail } from "@/components/batches/detail";

export const metadata: Metadata = { title: "Change of many payment links" };

export default async function Page({ params }: { params: Promise<{ batch_id: string }> }) {
  return <BatchDetail id={(await params).batch_id} />;
}
