import type { Metadata } from "next";
import { SignIn } from "@/components/auth/sign-in";
import { oneOf } from "@/lib/client/one-of";

export const metadata: Metadata = { title: "Sign in" };

type Props = { searchParams: Promise<Record<string, string | string[] | undefined>> };

export default async function Page({ searchParams }: Props) {
  const given = await searchParams;
  return <SignIn next={oneOf(given.next)} />;
}
