import type { Metadata } from "next";
import { BatchList } from "@/components/batches/list";

export const metadata: Metadata = { title: "Changes of many payment links" };

export default function Page() {
  return <BatchList />;
}
