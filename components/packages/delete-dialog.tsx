"use client";

import { Confirm } from "@/components/ui/dialog";
import { useAction } from "@/lib/client/hooks";
import { notify } from "@/lib/client/notices";
import { deletePackage } from "@/lib/contract/operations";
import type { Package } from "@/lib/contract/packages";

type DeleteDialogProps = { subject: Package | null; onClose: () => void; onDeleted?: () => void };

/** Asks before a package is deleted, by its name; open while `subject` is given. */
export function DeletePackage({ subject, onClose, onDeleted }: DeleteDialogProps) {
  const { run, busy } = useAction(deletePackage, {
    onSuccess: ({ name }) => {
      notify({ title: `“${name}” deleted`, tone: "good" });
      onClose();
      onDeleted?.();
    },
  });
  return (
    <Confirm
      title={`Delete “${subject?.name ?? ""}”?`}
      confirm="Delete package"
      cancel="Keep it"
      busy={busy}
      open={subject !== null}
      onOpenChange={(open) => !open && onClose()}
      onConfirm={() => subject && run({ params: { package_id: subject._id } })}
    >
      <p>
        It takes no new subscribers. Cancelled subscriptions keep showing what it was. This cannot
        be undone; to only stop new subscribers, cancel it instead.
      </p>
    </Confirm>
  );
}
