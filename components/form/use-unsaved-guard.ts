"use client";

import { useState } from "react";
import { useLeaveGuard } from "@/components/ui/use-leave-guard";
import { leave } from "@/lib/client/leaving";

type Unsaved = {
  asking: boolean;
  stay: () => void;
  discard: () => void;
  go: (href: string) => void;
};

/**
 * Asks before unsaved changes of a page are lost: by closing the tab, by a link, by a shortcut, by Back.
 * `go` leaves without asking, for after saving.
 */
export function useUnsavedGuard(dirty: boolean): Unsaved {
  const [leaving, setLeaving] = useState<(() => void) | null>(null);
  const { go, release } = useLeaveGuard(dirty, (next) => setLeaving(() => next));
  return {
    asking: leaving !== null,
    stay: () => setLeaving(null),
    discard: () => {
      release();
      setLeaving(null);
      if (leaving) leave(leaving);
    },
    go,
  };
}
