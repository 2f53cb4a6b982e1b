import type { Metadata } from "next";
import { CreatePackage } from "@/components/packages/create";
import { oneOf } from "@/lib/client/one-of";

export const metadata: Metadata = { title: "New package" };

type Props = { searchParams: Promise<Record<string, string | string[] | undefined>> };

export default async function Page({ searchParams }: Props) {
  const from = oneOf((await searchParams).from);
  return <CreatePackage key={from} from={from} />;
}
