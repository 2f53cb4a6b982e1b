import type { Metadata } from "next";
import { ChargeToken } from "@/components/tokens/charge";

export const metadata: Metadata = { title: "Charge token" };

type Props = { params: Promise<{ token_id: string }> };

export default async function Page({ params }: Props) {
  return <ChargeToken id={(await params).token_id} />;
}
