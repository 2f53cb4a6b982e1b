import type { Metadata } from "next";
import { Setup } from "@/components/auth/new-business";
import { oneOf } from "@/lib/client/one-of";

export const metadata: Metadata = { title: "Set up" };

type Props = { searchParams: Promise<Record<string, string | string[] | undefined>> };

export default async function Page({ searchParams }: Props) {
  const given = await searchParams;
  return <Setup code={oneOf(given.code)} />;
}
