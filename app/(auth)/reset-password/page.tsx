import type { Metadata } from "next";
import { ResetPassword } from "@/components/auth/reset-password";
import { oneOf } from "@/lib/client/one-of";

export const metadata: Metadata = { title: "New password" };

type Props = { searchParams: Promise<Record<string, string | string[] | undefined>> };

export default async function Page({ searchParams }: Props) {
  const given = await searchParams;
  return <ResetPassword token={oneOf(given.token)} />;
}
