"use client";

import { type ReactNode, useState } from "react";
import { useBeforeUnload } from "./before-unload";
import { Button } from "./button";
import { Confirm, Dialog } from "./dialog";

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
  const [asking, setAsking] = useState(false);
  useBeforeUnload(() => open);
  return (
    <Dialog
      title={title}
      description={description}
      open={open}
      onOpenChange={(next) => !next && setAsking(true)}
      footer={
        <Button variant="primary" onClick={() => setAsking(true)}>
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
        open={asking}
        onOpenChange={setAsking}
        onConfirm={() => {
          setAsking(false);
          onClose();
        }}
      >
        {warning}
      </Confirm>
    </Dialog>
  );
}
