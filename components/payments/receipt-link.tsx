import { FileText } from "lucide-react";
import { AnchorButton } from "@/components/ui/button";
import { fileAddress } from "@/lib/client/files";
import { useScope } from "@/lib/client/use-scope";
import { getReceipt } from "@/lib/contract/operations";
import type { Payment } from "@/lib/contract/payments";
import { hasReceipt } from "./words";

/** Downloads the receipt of a payment; null where it has no receipt. */
export function ReceiptLink({ payment }: { payment: Payment }) {
  const scope = useScope();
  const { _id: id } = payment;
  if (!hasReceipt(payment)) return null;
  return (
    <AnchorButton
      href={fileAddress(getReceipt, { params: { payment_id: id } }, scope)}
      download={`receipt-${id}.pdf`}
    >
      <FileText aria-hidden="true" className="size-4" />
      Receipt (PDF)
    </AnchorButton>
  );
}
