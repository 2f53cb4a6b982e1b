import { createToken } from "@/lib/contract/tokenizations";
import { create } from "@/lib/domain/tokenizations/create";
import { defineRoute } from "@/lib/http/define-route";

export const POST = defineRoute(createToken, ({ ctx, body }) => create(ctx, body));
