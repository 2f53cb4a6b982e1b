import { reopenPaymentLink } from "@/lib/contract/payment-links";
import { reopen } from "@/lib/domain/payment-links/cancel";
import { defineRoute } from "@/lib/http/define-route";

export const POST = defineRoute(reopenPaymentLink, ({ ctx, params }) =>
  reopen(ctx, params.payment_link_id),
);
