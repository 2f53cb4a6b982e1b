import type { Metadata } from "next";
import { MailList } from "@/components/mails/list";

export const metadata: Metadata = { title: "Mails" };

export default function Page() {
  return <MailList />;
}
