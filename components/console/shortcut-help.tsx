"use client";

import { Dialog } from "@/components/ui/dialog";
import { ShortcutList } from "./shortcut-list";

/** The list of all shortcuts, as a dialog. */
export function ShortcutHelp({
  open,
  onOpenChange,
}: {
  open: boolean;
  onOpenChange: (open: boolean) => void;
}) {
  return (
    <Dialog
      title="Keyboard shortcuts"
      description="They don’t work while you type."
      open={open}
      onOpenChange={onOpenChange}
    >
      <ShortcutList />
    </Dialog>
  );
}
