import type { Metadata } from "next";
import { PayerErasure } from "@/components/settings/payers";
import type { Search } from "@/lib/client/list-query";
import { oneOf } from "@/lib/client/one-of";

export const metadata: Metadata = { title: "Payers" };

type Props = { searchParams: Promise<Search> };

export default async function Page({ searchParams }: Props) {
  return <PayerErasure email={oneOf((await searchParams).email)} />;
}
