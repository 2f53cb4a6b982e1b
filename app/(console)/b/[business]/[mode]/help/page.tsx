import type { Metadata } from "next";
import { Help } from "@/components/help/help";
import { readChangelog } from "@/components/help/read-changelog";

export const metadata: Metadata = { title: "Help" };

export default async function Page() {
  return <Help newest={(await readChangelog())[0]} />;
}
