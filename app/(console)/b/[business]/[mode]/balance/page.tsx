import type { Metadata } from "next";
import { BalancePage } from "@/components/balance/balance-page";

export const metadata: Metadata = { title: "Balance" };

export default function Page() {
  return <BalancePage />;
}
