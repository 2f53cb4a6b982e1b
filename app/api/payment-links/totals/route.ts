import { getPaymentLinkTotals } from "@/lib/contract/list-totals";
import { listTotals } from "@/lib/domain/payment-links/list-totals";
import { defineRoute } from "@/lib/http/define-route";

export const GET = defineRoute(getPaymentLinkTotals, ({ ctx, query }) => listTotals(ctx, query));
