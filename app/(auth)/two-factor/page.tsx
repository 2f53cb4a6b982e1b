import type { Metadata } from "next";
import { TwoFactor } from "@/components/auth/two-factor";
import { oneOf } from "@/lib/client/one-of";

export const metadata: Metadata = { title: "Second step" };

type Props = { searchParams: Promise<Record<string, string | string[] | undefined>> };

export default async function Page({ searchParams }: Props) {
  const given = await searchParams;
  return <TwoFactor next={oneOf(given.next)} />;
}
