import { createSavedView, listSavedViews } from "@/lib/contract/saved-views";
import { create, list } from "@/lib/domain/saved-views/manage";
import { defineRoute } from "@/lib/http/define-route";

export const GET = defineRoute(listSavedViews, ({ ctx, query }) => list(ctx, query.list));
export const POST = defineRoute(createSavedView, ({ ctx, body }) => create(ctx, body));
