import type { Metadata } from "next";
import { ShopPlugins } from "@/components/shop-plugins/list";

export const metadata: Metadata = { title: "Shop plugins" };

export default function Page() {
  return <ShopPlugins />;
}
