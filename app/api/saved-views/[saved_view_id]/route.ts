import { deleteSavedView, updateSavedView } from "@/lib/contract/saved-views";
import { remove, update } from "@/lib/domain/saved-views/manage";
import { defineRoute } from "@/lib/http/define-route";

export const PUT = defineRoute(updateSavedView, ({ ctx, params, body }) =>
  update(ctx, params.saved_view_id, body),
);
export const DELETE = defineRoute(deleteSavedView, ({ ctx, params }) =>
  remove(ctx, params.saved_view_id),
);
