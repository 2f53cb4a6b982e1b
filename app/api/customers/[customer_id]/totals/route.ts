import { getCustomerTotals } from "@/lib/contract/customers";
import { totalsOf } from "@/lib/domain/payments/totals";
import { defineRoute } from "@/lib/http/define-route";

export const GET = defineRoute(getCustomerTotals, ({ ctx, params }) =>
  totalsOf(ctx, params.customer_id),
);
