import type { Metadata } from "next";
import { MailDetail } from "@/components/mails/detail";

export const metadata: Metadata = { title: "Mail" };

type Props = { params: Promise<{ mail_id: string }> };

export default async function Page({ params }: Props) {
  return <MailDetail id={(await params).mail_id} />;
}
