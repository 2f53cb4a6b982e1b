import { BookOpen } from "lucide-react";
import { AnchorButton } from "@/components/ui/button";

/** To the interface's own pages, which are no part of the dashboard. */
export function ReferenceLink({ at = "" }: { at?: string }) {
  return (
    <AnchorButton href={`/docs/api${at ? `#${at}` : ""}`} target="_blank">
      <BookOpen aria-hidden="true" className="size-4" />
      API reference
    </AnchorButton>
  );
}
