import { compute } from "@/lib/compute/pool";
import { getReceipt } from "@/lib/contract/files";
import { receipt } from "@/lib/domain/payments/receipt";
import { defineFileRoute } from "@/lib/http/define-file-route";

export const GET = defineFileRoute(getReceipt, async ({ ctx, params }) => ({
  body: await compute(ctx, "receipt", await receipt(ctx, params.payment_id)),
  name: `receipt-${params.payment_id}.pdf`,
}));
