import type { Metadata } from "next";
import { Setup } from "@/components/auth/new-business";

export const metadata: Metadata = { title: "Set up" };

export default function Page() {
  return <Setup />;
}
