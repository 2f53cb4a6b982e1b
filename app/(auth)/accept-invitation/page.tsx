import type { Metadata } from "next";
import { AcceptInvitation } from "@/components/auth/accept-invitation";
import { oneOf } from "@/lib/client/one-of";

export const metadata: Metadata = { title: "Invitation" };

type Props = { searchParams: Promise<Record<string, string | string[] | undefined>> };

export default async function Page({ searchParams }: Props) {
  const given = await searchParams;
  return <AcceptInvitation token={oneOf(given.token)} />;
}
