"use client";

import { Plain } from "@/components/console/plain";
import { Button } from "@/components/ui/button";

export default function PageError({ reset }: { error: Error; reset: () => void }) {
  return (
    <Plain
      title="This page broke"
      action={
        <>
          <Button variant="primary" onClick={reset}>
            Try again
          </Button>
          <Button onClick={() => window.location.reload()}>Reload</Button>
        </>
      }
    >
      Nothing you saved is lost. If it happens again, tell the operator of this Kutip what you did
      just before.
    </Plain>
  );
}
