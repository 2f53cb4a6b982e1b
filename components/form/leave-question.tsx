"use client";

import type { ReactNode } from "react";
import { Confirm } from "@/components/ui/dialog";
import type { useUnsavedGuard } from "./use-unsaved-guard";

type LeaveQuestionProps = {
  unsaved: ReturnType<typeof useUnsavedGuard>;
  /** What is lost by leaving. */
  children: ReactNode;
};

/** Asks before the unsaved changes of a page are lost. */
export function LeaveQuestion({ unsaved, children }: LeaveQuestionProps) {
  return (
    <Confirm
      title="Leave without saving?"
      confirm="Leave"
      cancel="Keep editing"
      open={unsaved.asking}
      onOpenChange={(open) => !open && unsaved.stay()}
      onConfirm={unsaved.discard}
    >
      {children}
    </Confirm>
  );
}
