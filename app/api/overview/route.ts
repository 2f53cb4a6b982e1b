import { getOverview } from "@/lib/contract/overview";
import { overview } from "@/lib/domain/overview/get";
import { defineRoute } from "@/lib/http/define-route";

export const GET = defineRoute(getOverview, ({ ctx, query }) => overview(ctx, query));
