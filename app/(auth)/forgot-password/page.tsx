import type { Metadata } from "next";
import { ForgotPassword } from "@/components/auth/forgot-password";
import { oneOf } from "@/lib/client/one-of";

export const metadata: Metadata = { title: "Forgotten password" };

type Props = { searchParams: Promise<Record<string, string | string[] | undefined>> };

export default async function Page({ searchParams }: Props) {
  const given = await searchParams;
  return <ForgotPassword next={oneOf(given.next)} />;
}
