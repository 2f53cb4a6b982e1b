import type { Metadata } from "next";
import { AllChanges } from "@/components/help/all-changes";
import { readChangelog } from "@/components/help/read-changelog";

export const metadata: Metadata = { title: "What’s new" };

export default async function Page() {
  return <AllChanges versions={await readChangelog()} />;
}
