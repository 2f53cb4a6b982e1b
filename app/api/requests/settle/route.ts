import { settleRequest as declared } from "@/lib/contract/lost-answers";
import { settleRequest } from "@/lib/domain/idempotency/settle";
import { defineRoute } from "@/lib/http/define-route";

export const POST = defineRoute(declared, ({ ctx, body }) => settleRequest(ctx, body));
