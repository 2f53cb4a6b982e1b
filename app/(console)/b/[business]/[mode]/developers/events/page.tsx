import type { Metadata } from "next";
import { EventList } from "@/components/developers/event-list";

export const metadata: Metadata = { title: "Events" };

export default function Page() {
  return <EventList />;
}
