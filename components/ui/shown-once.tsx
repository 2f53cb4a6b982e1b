"use client";

import type { ReactNode } from "react";
import { Button } from "./button";
import { Confirm, Dialog } from "./dialog";
import { useLeaveQuestion } from "./use-leave-question";

type ShownOnceProps = {
  title: string;
  description: ReactNode;
  /** What is lost by closing, one or two sentences. */
  warning: ReactNode;
  children: ReactNode;
  open: boolean;
  onClose: () => void;
};

/** A dialog with something that is never shown again: closing it asks first. */
export function ShownOnce({
  title,
  description,
  warning,
  children,
  open,
  onClose,
}: ShownOnceProps) {
  const question = useLeaveQuestion(open, onClose);
  return (
    <Dialog
      title={title}
      description={description}
      open={open}
      onOpenChange={(next) => !next && question.ask()}
      footer={
        <Button variant="primary" onClick={question.ask}>
          Done
        </Button>
      }
    >
      {children}
      <Confirm
        title="You won’t see it again"
        confirm="I’ve saved it"
        cancel="Go back"
        tone="primary"
        {...question.of}
      >
        {warning}
      </Confirm>
    </Dialog>
  );
}
