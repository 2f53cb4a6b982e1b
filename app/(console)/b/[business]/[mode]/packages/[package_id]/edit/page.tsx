import type { Metadata } from "next";
import { EditPackage } from "@/components/packages/edit";

export const metadata: Metadata = { title: "Edit package" };

type Props = { params: Promise<{ package_id: string }> };

export default async function Page({ params }: Props) {
  return <EditPackage id={(await params).package_id} />;
}
