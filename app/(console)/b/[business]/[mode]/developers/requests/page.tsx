import type { Metadata } from "next";
import { RequestList } from "@/components/developers/request-list";

export const metadata: Metadata = { title: "Request log" };

export default function Page() {
  return <RequestList />;
}
