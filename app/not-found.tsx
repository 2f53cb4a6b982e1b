import type { Metadata } from "next";
import { AnchorButton } from "@/components/ui/button";
import { Plain } from "@/components/console/plain";

export const metadata: Metadata = { title: "Not found" };

export default function NotFound() {
  return (
    <Plain
      title="Page not found"
      action={
        <AnchorButton href="/" variant="primary">
          Go to the start
        </AnchorButton>
      }
    >
      The address may be mistyped, or what was here is gone.
    </Plain>
  );
}
