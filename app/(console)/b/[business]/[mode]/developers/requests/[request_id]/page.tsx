import type { Metadata } from "next";
import { RequestDetail } from "@/components/developers/request-detail";

export const metadata: Metadata = { title: "Request" };

type Props = { params: Promise<{ request_id: string }> };

export default async function Page({ params }: Props) {
  return <RequestDetail id={(await params).request_id} />;
}
