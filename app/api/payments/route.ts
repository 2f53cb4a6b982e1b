import { listPayments } from "@/lib/contract/payments";
import { list } from "@/lib/domain/payments/list";
import { defineRoute } from "@/lib/http/define-route";

export const GET = defineRoute(listPayments, ({ ctx, query, search }) => list(ctx, query, search));
