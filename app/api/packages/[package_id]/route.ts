import { deletePackage, getPackage, updatePackage } from "@/lib/contract/packages";
import { get } from "@/lib/domain/packages/get";
import { remove } from "@/lib/domain/packages/remove";
import { update, validateTerms } from "@/lib/domain/packages/update";
import { defineRoute } from "@/lib/http/define-route";

export const GET = defineRoute(getPackage, ({ ctx, params }) => get(ctx, params.package_id));
export const PUT = defineRoute(
  updatePackage,
  ({ ctx, params, body }) => update(ctx, params.package_id, body),
  ({ ctx, params, body }) => validateTerms(ctx, params.package_id, body),
);
export const DELETE = defineRoute(deletePackage, ({ ctx, params }) =>
  remove(ctx, params.package_id),
);
