import { getReceipt } from "@/lib/contract/files";
import { receipt } from "@/lib/domain/payments/receipt";
import { defineFileRoute } from "@/lib/http/define-file-route";

export const GET = defineFileRoute(getReceipt, async ({ ctx, params }) => {
  const { payment, business, paidAt, references } = await receipt(ctx, params.payment_id);
  // Large, and wanted seldom: loaded with the first receipt.
  const { receiptPdf } = await import("@/components/receipt/document");
  const body = await receiptPdf({
    business, test: ctx.mode === "test", title: payment.title, amount: payment.amount, refunded: payment.refundedAmount, currency: payment.currency, references, paidAt, paymentId: payment.id,
  });
  return { body, name: `receipt-${payment.id}.pdf` };
});
