import { getReceipt } from "@/lib/contract/files";
import { type Receipt, receipt } from "@/lib/domain/payments/receipt";
import { defineFileRoute } from "@/lib/http/define-file-route";
import { plainJpeg } from "@/lib/kernel/image";

/** What a PDF can hold of a logo; null for what it cannot. */
function drawable(logo: Receipt["logo"]) {
  if (logo?.type === "image/png") return { format: "png", data: logo.bytes } as const;
  const data = logo?.type === "image/jpeg" ? plainJpeg(logo.bytes) : undefined;
  return data ? ({ format: "jpg", data } as const) : null;
}

export const GET = defineFileRoute(getReceipt, async ({ ctx, params }) => {
  const { payment, business, paidAt, references, logo } = await receipt(ctx, params.payment_id);
  // Large, and wanted seldom: loaded with the first receipt.
  const { receiptPdf } = await import("@/components/receipt/document");
  const body = await receiptPdf({
    business,
    logo: drawable(logo),
    test: ctx.mode === "test",
    title: payment.title,
    amount: payment.amount,
    refunded: payment.refundedAmount,
    currency: payment.currency,
    references,
    paidAt,
    paymentId: payment.id,
  });
  return { body, name: `receipt-${payment.id}.pdf` };
});
