import { useState } from "react";
import { useLeaveGuard } from "./use-leave-guard";

type Asked = { go?: () => void };

/**
 * The question of a dialog that keeps something: asked when it is closed, and when the page below is left. A yes closes the dialog, then leaves
 * by the way that was asked about. Back only closes it.
 */
export function useLeaveQuestion(kept: boolean, close: () => void) {
  const [asked, setAsked] = useState<Asked | null>(null);
  const { release } = useLeaveGuard(kept, (go, byBack) => setAsked(byBack ? {} : { go }));
  return {
    ask: () => setAsked({}),
    /** What the question is drawn by. */
    of: {
      open: asked !== null,
      onOpenChange: (open: boolean) => !open && setAsked(null),
      onConfirm: () => {
        release();
        setAsked(null);
        close();
        asked?.go?.();
      },
    },
  };
}
