"use client";

import { Confirm } from "@/components/ui/dialog";
import type { PaymentLink } from "@/lib/contract/payment-links";
import { displayAmount } from "@/lib/kernel/money";
import { useDeleting } from "./use-link-actions";

type DeleteDialogProps = { link: PaymentLink | null; onClose: () => void; onDeleted?: () => void };

/** Asks before a link is deleted, by its name; open while `link` is given. */
export function DeleteDialog({ link, onClose, onDeleted }: DeleteDialogProps) {
  const { run, busy } = useDeleting(() => {
    onClose();
    onDeleted?.();
  });
  return (
    <Confirm
      title={`Delete “${link?.title ?? ""}”?`}
      confirm="Delete payment link"
      cancel="Keep it"
      busy={busy}
      open={link !== null}
      onOpenChange={(open) => !open && onClose()}
      onConfirm={() => link && run({ params: { payment_link_id: link._id } })}
    >
      {link ? (
        <p>
          {displayAmount(link.amount, link.currency)} from {link.email} can then no longer be paid.
          Anyone who opens the link reads that it was removed. This can’t be undone.
        </p>
      ) : null}
    </Confirm>
  );
}
