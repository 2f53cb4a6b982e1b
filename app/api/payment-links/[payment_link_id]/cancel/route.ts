import { cancelPaymentLink } from "@/lib/contract/payment-links";
import { cancel } from "@/lib/flows/link-change/steps";
import { defineRoute } from "@/lib/http/define-route";

export const POST = defineRoute(cancelPaymentLink, ({ ctx, params: { payment_link_id: id } }) =>
  cancel(ctx, id),
);
