import { getLoggedRequest } from "@/lib/contract/request-log";
import { get } from "@/lib/domain/request-log/list";
import { defineRoute } from "@/lib/http/define-route";

export const GET = defineRoute(getLoggedRequest, ({ ctx, role, params }) =>
  get(ctx, role, params.request_id),
);
