import { getTokenization, revokeTokenization } from "@/lib/contract/tokenizations";
import { get } from "@/lib/domain/tokenizations/get";
import { revoke } from "@/lib/domain/tokenizations/revoke";
import { defineRoute } from "@/lib/http/define-route";

export const GET = defineRoute(getTokenization, ({ ctx, params }) => get(ctx, params.token));
export const DELETE = defineRoute(revokeTokenization, ({ ctx, params }) =>
  revoke(ctx, params.token),
);
