import type { Metadata } from "next";
import { GoLivePage } from "@/components/go-live/page";

export const metadata: Metadata = { title: "Go live" };

export default function Page() {
  return <GoLivePage />;
}
