import type { Metadata } from "next";
import { Subscribe } from "@/components/subscriptions/subscribe";
import { oneOf } from "@/lib/client/one-of";

export const metadata: Metadata = { title: "Subscribe someone" };

type Props = { searchParams: Promise<Record<string, string | string[] | undefined>> };

export default async function Page({ searchParams }: Props) {
  const search = await searchParams;
  return <Subscribe packageId={oneOf(search.package)} customerId={oneOf(search.customer)} />;
}
