"use client";

import { Confirm } from "@/components/ui/dialog";
import { useEndpoint } from "@/lib/client/hooks";
import { displaySums } from "@/lib/client/sums";
import type { Batch } from "@/lib/contract/batches";
import { getPaymentLinkTotals } from "@/lib/contract/operations";
import { links } from "./words";

type UndoImportProps = {
  batch: Pick<Batch, "_id">;
  open: boolean;
  onOpenChange: (open: boolean) => void;
  busy: boolean;
  onConfirm: () => void;
};

/** Asks before the open links of an import are cancelled: how many there are now, and what they come to. */
export function UndoImport({ batch, ...dialog }: UndoImportProps) {
  const { data } = useEndpoint(
    getPaymentLinkTotals,
    { query: { import_id: batch._id, status: "Active" } },
    { enabled: dialog.open },
  );
  return (
    <Confirm
      {...dialog}
      title="Cancel the open links of this import?"
      confirm="Cancel open links"
      cancel="Keep them"
    >
      {data ? <p className="mb-2 font-medium">{openLinks(data)}</p> : null}
      Payers can no longer pay these links. What was paid stays, and so do customers who came with
      the import. You see afterwards who had paid or may have been asked to pay.
    </Confirm>
  );
}

/** "284 payment links are open: MYR 52,540.00." */
export function openLinks(totals: readonly { count: number; amount: number; currency: string }[]) {
  const count = totals.reduce((all, one) => all + one.count, 0);
  return count === 0
    ? "No payment link of it is open."
    : `${links(count)} ${count === 1 ? "is" : "are"} open: ${displaySums(totals)}.`;
}
