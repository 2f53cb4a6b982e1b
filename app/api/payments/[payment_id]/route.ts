import { getPayment } from "@/lib/contract/payments";
import { get } from "@/lib/domain/payments/get";
import { defineRoute } from "@/lib/http/define-route";

export const GET = defineRoute(getPayment, ({ ctx, params }) => get(ctx, params.payment_id));
