import type { Metadata } from "next";
import { SignUp } from "@/components/auth/new-business";
import { oneOf } from "@/lib/client/one-of";

export const metadata: Metadata = { title: "Sign up" };

type Props = { searchParams: Promise<Record<string, string | string[] | undefined>> };

export default async function Page({ searchParams }: Props) {
  const given = await searchParams;
  return <SignUp invitation={oneOf(given.invitation)} />;
}
