import type { Metadata } from "next";
import { CreateLink } from "@/components/payment-links/create";
import { oneOf } from "@/lib/client/one-of";

export const metadata: Metadata = { title: "New payment link" };

type Props = { searchParams: Promise<Record<string, string | string[] | undefined>> };

export default async function Page({ searchParams }: Props) {
  const from = oneOf((await searchParams).from);
  return <CreateLink key={from} from={from} />;
}
