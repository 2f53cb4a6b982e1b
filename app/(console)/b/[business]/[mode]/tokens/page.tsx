import type { Metadata } from "next";
import { TokenList } from "@/components/tokens/list";

export const metadata: Metadata = { title: "Saved methods" };

export default function Page() {
  return <TokenList />;
}
