import type { Metadata } from "next";
import { StatementPage } from "@/components/balance/statement-page";

export const metadata: Metadata = { title: "Statement" };

export default function Page() {
  return <StatementPage />;
}
