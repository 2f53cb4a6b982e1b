import type { Metadata } from "next";
import { BackgroundWork } from "@/components/work/background-work";

export const metadata: Metadata = { title: "Background work" };

export default function Page() {
  return <BackgroundWork />;
}
