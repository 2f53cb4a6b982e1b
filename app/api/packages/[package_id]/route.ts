import { deletePackage, getPackage, updatePackage } from "@/lib/contract/packages";
import { validateAmount } from "@/lib/domain/gateway-connections/amounts";
import { get } from "@/lib/domain/packages/get";
import { remove } from "@/lib/domain/packages/remove";
import { update } from "@/lib/domain/packages/update";
import { defineRoute } from "@/lib/http/define-route";

export const GET = defineRoute(getPackage, ({ ctx, params }) => get(ctx, params.package_id));
export const PUT = defineRoute(
  updatePackage,
  ({ ctx, params, body }) => update(ctx, params.package_id, body),
  ({ ctx, body }) => validateAmount(ctx, body),
);
export const DELETE = defineRoute(deletePackage, ({ ctx, params }) =>
  remove(ctx, params.package_id),
);
