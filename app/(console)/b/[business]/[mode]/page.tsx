import type { Metadata } from "next";
import { PageHeader } from "@/components/ui/page-header";

export const metadata: Metadata = { title: "Overview" };

export default function Page() {
  return <PageHeader title="Overview" description="What was collected, what is open, and what needs you." />;
}
