import type { Metadata } from "next";
import { IssueToken } from "@/components/tokens/issue";

export const metadata: Metadata = { title: "Issue token" };

export default function Page() {
  return <IssueToken />;
}
