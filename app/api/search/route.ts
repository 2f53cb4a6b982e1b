import { search } from "@/lib/contract/search";
import { find } from "@/lib/domain/search/find";
import { defineRoute } from "@/lib/http/define-route";

export const GET = defineRoute(search, ({ ctx, query }) => find(ctx, query.q));
