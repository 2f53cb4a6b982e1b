import { readFile } from "node:fs/promises";
import type { Metadata } from "next";
import { Help } from "@/components/help/help";
import { newestChanges } from "@/components/help/changes";

export const metadata: Metadata = { title: "Help" };

export default async function Page() {
  const changelog = await readFile("CHANGELOG.md", "utf8").catch(() => "");
  return <Help changes={newestChanges(changelog)} />;
}
