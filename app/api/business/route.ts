import { getBusiness, updateBusiness } from "@/lib/contract/business";
import { get, update } from "@/lib/domain/businesses/manage";
import { defineRoute } from "@/lib/http/define-route";

export const GET = defineRoute(getBusiness, ({ ctx }) => get(ctx));
export const PUT = defineRoute(updateBusiness, ({ ctx, body }) => update(ctx, body));
