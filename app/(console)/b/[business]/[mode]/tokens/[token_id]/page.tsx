import type { Metadata } from "next";
import { TokenDetail } from "@/components/tokens/detail";

export const metadata: Metadata = { title: "Token" };

type Props = { params: Promise<{ token_id: string }> };

export default async function Page({ params }: Props) {
  return <TokenDetail id={(await params).token_id} />;
}
