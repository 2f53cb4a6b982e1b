import type { Metadata } from "next";
import { IssueToken } from "@/components/tokens/issue";
import type { Search } from "@/lib/client/list-query";
import { oneOf } from "@/lib/client/one-of";

export const metadata: Metadata = { title: "Issue token" };

type Props = { searchParams: Promise<Search> };

export default async function Page({ searchParams }: Props) {
  return <IssueToken customerId={oneOf((await searchParams).customer)} />;
}
