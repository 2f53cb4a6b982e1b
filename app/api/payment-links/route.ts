import { createPaymentLink, listPaymentLinks } from "@/lib/contract/payment-links";
import { amountObjections } from "@/lib/domain/businesses/line";
import { create } from "@/lib/domain/payment-links/create";
import { list } from "@/lib/domain/payment-links/list";
import { defineRoute } from "@/lib/http/define-route";

export const GET = defineRoute(listPaymentLinks, ({ ctx, query, search }) =>
  list(ctx, query, search),
);
export const POST = defineRoute(
  createPaymentLink,
  ({ ctx, body }) => create(ctx, body),
  ({ ctx, body }) => amountObjections(ctx, body),
);
