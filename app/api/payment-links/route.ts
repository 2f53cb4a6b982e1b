import { createPaymentLink, listPaymentLinks } from "@/lib/contract/payment-links";
import { create } from "@/lib/domain/payment-links/create";
import { list } from "@/lib/domain/payment-links/list";
import { validateLink } from "@/lib/domain/payment-links/validate";
import { defineRoute } from "@/lib/http/define-route";
import { pluginObjections } from "@/lib/http/shop-plugins";
import { assertNone } from "@/lib/kernel/problem";

export const GET = defineRoute(listPaymentLinks, ({ ctx, query, search }) =>
  list(ctx, query, search),
);
export const POST = defineRoute(
  createPaymentLink,
  ({ ctx, body, headers }) => {
    assertNone(pluginObjections(headers, body));
    return create(ctx, body);
  },
  async ({ ctx, body, headers }) => ({
    ...(await validateLink(ctx, body)),
    ...pluginObjections(headers, body),
  }),
);
