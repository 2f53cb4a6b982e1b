import type { Metadata } from "next";
import { ShopPlugin } from "@/components/shop-plugins/detail";

export const metadata: Metadata = { title: "Shop plugin" };

type Props = { params: Promise<{ integration_id: string }> };

export default async function Page({ params }: Props) {
  return <ShopPlugin id={(await params).integration_id} />;
}
