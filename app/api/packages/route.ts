import { createPackage, listPackages } from "@/lib/contract/packages";
import { validateAmount } from "@/lib/domain/gateway-connections/amounts";
import { create } from "@/lib/domain/packages/create";
import { list } from "@/lib/domain/packages/list";
import { defineRoute } from "@/lib/http/define-route";

export const GET = defineRoute(listPackages, ({ ctx, query, search }) => list(ctx, query, search));
export const POST = defineRoute(
  createPackage,
  ({ ctx, body }) => create(ctx, body),
  ({ ctx, body }) => validateAmount(ctx, body),
);
