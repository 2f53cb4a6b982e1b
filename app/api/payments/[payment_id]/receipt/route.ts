import { getReceipt } from "@/lib/contract/files";
import { type Receipt, receipt } from "@/lib/domain/payments/receipt";
import { defineFileRoute } from "@/lib/http/define-file-route";

const formats = { "image/png": "png", "image/jpeg": "jpg", "image/webp": null } as const;

function drawable(logo: Receipt["logo"]) {
  const format = logo && formats[logo.type];
  return format ? { format, data: logo.bytes } : null;
}

export const GET = defineFileRoute(getReceipt, async ({ ctx, params }) => {
  const { payment, business, paidAt, references, logo } = await receipt(ctx, params.payment_id);
  // Large, and wanted seldom: loaded with the first receipt.
  const { receiptPdf } = await import("@/components/receipt/document");
  const body = await receiptPdf({
    business, logo: drawable(logo), test: ctx.mode === "test", title: payment.title, amount: payment.amount, refunded: payment.refundedAmount, currency: payment.currency, references, paidAt, paymentId: payment.id,
  });
  return { body, name: `receipt-${payment.id}.pdf` };
});
