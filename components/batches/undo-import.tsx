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

/** Asks before the links of an import are cancelled: how many there are now, and what the open ones come to. */
export function UndoImport({ batch, ...dialog }: UndoImportProps) {
  const { data: open } = useTotals(batch._id, "Active", dialog.open);
  const { data: expired } = useTotals(batch._id, "Expired", dialog.open);
  return (
    <Confirm
      {...dialog}
      title="Cancel the open links of this import?"
      confirm="Cancel open links"
      cancel="Keep them"
    >
      {open && expired ? <p className="mb-2 font-medium">{linksToCancel(open, expired)}</p> : null}
      Payers can no longer pay these links. What was paid stays, and so do customers who came with
      the import. You see afterwards who had paid or may have been asked to pay.
    </Confirm>
  );
}

const useTotals = (import_id: string, status: "Active" | "Expired", enabled: boolean) =>
  useEndpoint(getPaymentLinkTotals, { query: { import_id, status } }, { enabled });

type Totals = readonly { count: number; amount: number; currency: string }[];
const countOf = (totals: Totals) => totals.reduce((all, one) => all + one.count, 0);

/** "284 payment links are open: MYR 52,540.00. 16 have expired and are cancelled too, so that the file can be imported again." */
export function linksToCancel(open: Totals, expired: Totals): string {
  const [count, over] = [countOf(open), countOf(expired)];
  const isOpen =
    count === 0
      ? "No payment link of it is open."
      : `${links(count)} ${count === 1 ? "is" : "are"} open: ${displaySums(open)}.`;
  const hasExpired = `${over.toLocaleString("en-GB")} ${over === 1 ? "has expired and is" : "have expired and are"} cancelled too`;
  return over === 0 ? isOpen : `${isOpen} ${hasExpired}, so that the file can be imported again.`;
}
