import { cancelPaymentLink } from "@/lib/contract/payment-links";
import { cancel } from "@/lib/domain/payment-links/cancel";
import { withReleasedLink } from "@/lib/domain/payments/release";
import { defineRoute } from "@/lib/http/define-route";

export const POST = defineRoute(cancelPaymentLink, ({ ctx, params: { payment_link_id: id } }) =>
  withReleasedLink(ctx, id, () => cancel(ctx, id)),
);
