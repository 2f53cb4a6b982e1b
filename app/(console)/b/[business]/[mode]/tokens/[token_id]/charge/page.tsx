import type { Metadata } from "next";
import { ChargeToken } from "@/components/tokens/charge";
import type { Search } from "@/lib/client/list-query";
import { oneOf } from "@/lib/client/one-of";

export const metadata: Metadata = { title: "Charge token" };

type Props = { params: Promise<{ token_id: string }>; searchParams: Promise<Search> };

export default async function Page({ params, searchParams }: Props) {
  const again = oneOf((await searchParams).again);
  return <ChargeToken key={again} id={(await params).token_id} again={again} />;
}
