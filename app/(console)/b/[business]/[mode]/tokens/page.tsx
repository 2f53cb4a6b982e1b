import type { Metadata } from "next";
import { TokenList } from "@/components/tokens/list";

export const metadata: Metadata = { title: "Tokens" };

export default function Page() {
  return <TokenList />;
}
