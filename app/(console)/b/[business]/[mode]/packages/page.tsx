import type { Metadata } from "next";
import { PackageList } from "@/components/packages/list";

export const metadata: Metadata = { title: "Packages" };

export default function Page() {
  return <PackageList />;
}
