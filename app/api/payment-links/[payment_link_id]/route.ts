import { deletePaymentLink, getPaymentLink, updatePaymentLink } from "@/lib/contract/payment-links";
import { get } from "@/lib/domain/payment-links/get";
import { remove, update } from "@/lib/flows/link-change/steps";
import { validateLink } from "@/lib/domain/payment-links/validate";
import { defineRoute } from "@/lib/http/define-route";

export const GET = defineRoute(getPaymentLink, ({ ctx, params }) =>
  get(ctx, params.payment_link_id),
);
export const PUT = defineRoute(
  updatePaymentLink,
  ({ ctx, params: { payment_link_id: id }, body }) => update(ctx, id, body),
  ({ ctx, params, body }) => validateLink(ctx, body, params.payment_link_id),
);
export const DELETE = defineRoute(deletePaymentLink, ({ ctx, params: { payment_link_id: id } }) =>
  remove(ctx, id),
);
