import { listEqualCharges } from "@/lib/contract/lost-answers";
import { equalCharges } from "@/lib/domain/payments/equal-charges";
import { defineRoute } from "@/lib/http/define-route";

export const GET = defineRoute(listEqualCharges, ({ ctx, params, query }) =>
  equalCharges(ctx, params.token, query),
);
