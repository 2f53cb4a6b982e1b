import type { Metadata } from "next";
import { Snippets } from "@/components/developers/snippets";

export const metadata: Metadata = { title: "Snippets" };

export default function Page() {
  return <Snippets />;
}
