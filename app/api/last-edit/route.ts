import { getLastEdit } from "@/lib/contract/last-edit";
import { lastEdit } from "@/lib/domain/timeline/last-edit";
import { defineRoute } from "@/lib/http/define-route";

export const GET = defineRoute(getLastEdit, ({ ctx, query }) => lastEdit(ctx, query));
