import { getPaymentTotals } from "@/lib/contract/list-totals";
import { listTotals } from "@/lib/domain/payments/list-totals";
import { defineRoute } from "@/lib/http/define-route";

export const GET = defineRoute(getPaymentTotals, ({ ctx, query }) => listTotals(ctx, query));
