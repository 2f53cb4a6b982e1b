import { getBusiness, updateBusiness } from "@/lib/contract/business";
import { get } from "@/lib/domain/businesses/manage";
import { validateZone } from "@/lib/domain/businesses/time-zone";
import { updateBusiness as update } from "@/lib/flows/business-change/steps";
import { defineRoute } from "@/lib/http/define-route";

export const GET = defineRoute(getBusiness, ({ ctx }) => get(ctx));
export const PUT = defineRoute(
  updateBusiness,
  ({ ctx, body }) => update(ctx, body),
  ({ body }) => validateZone(body.time_zone),
);
