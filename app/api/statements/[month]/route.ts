import { getStatement } from "@/lib/contract/statements";
import { get } from "@/lib/domain/statements/get";
import { defineRoute } from "@/lib/http/define-route";

export const GET = defineRoute(getStatement, ({ ctx, params }) => get(ctx, params.month));
