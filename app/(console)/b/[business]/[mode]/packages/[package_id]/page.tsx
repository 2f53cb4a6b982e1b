import type { Metadata } from "next";
import { PackageDetail } from "@/components/packages/detail";

export const metadata: Metadata = { title: "Package" };

type Props = { params: Promise<{ package_id: string }> };

export default async function Page({ params }: Props) {
  return <PackageDetail id={(await params).package_id} />;
}
