import type { Metadata } from "next";
import { EventDetail } from "@/components/developers/event-detail";

export const metadata: Metadata = { title: "Event" };

type Props = { params: Promise<{ event_id: string }> };

export default async function Page({ params }: Props) {
  return <EventDetail id={(await params).event_id} />;
}
