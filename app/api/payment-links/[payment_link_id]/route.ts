import { deletePaymentLink, getPaymentLink, updatePaymentLink } from "@/lib/contract/payment-links";
import { amountObjections } from "@/lib/domain/businesses/line";
import { get } from "@/lib/domain/payment-links/get";
import { remove } from "@/lib/domain/payment-links/remove";
import { update } from "@/lib/domain/payment-links/update";
import { withReleasedLink } from "@/lib/domain/payments/release";
import { defineRoute } from "@/lib/http/define-route";

export const GET = defineRoute(getPaymentLink, ({ ctx, params }) =>
  get(ctx, params.payment_link_id),
);
export const PUT = defineRoute(
  updatePaymentLink,
  ({ ctx, params: { payment_link_id: id }, body }) =>
    withReleasedLink(ctx, id, () => update(ctx, id, body)),
  ({ ctx, body }) => amountObjections(ctx, body),
);
export const DELETE = defineRoute(deletePaymentLink, ({ ctx, params: { payment_link_id: id } }) =>
  withReleasedLink(ctx, id, () => remove(ctx, id)),
);
