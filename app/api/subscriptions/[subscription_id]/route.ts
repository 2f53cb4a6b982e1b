import {
  deleteSubscription,
  getSubscription,
  updateSubscription,
} from "@/lib/contract/subscriptions";
import { get } from "@/lib/domain/subscriptions/get";
import { remove } from "@/lib/flows/subscription-change/remove";
import { update } from "@/lib/flows/subscription-change/update";
import { defineRoute } from "@/lib/http/define-route";

export const GET = defineRoute(getSubscription, ({ ctx, params }) =>
  get(ctx, params.subscription_id),
);
export const PUT = defineRoute(updateSubscription, ({ ctx, params, body }) =>
  update(ctx, params.subscription_id, body),
);
export const DELETE = defineRoute(deleteSubscription, ({ ctx, params }) =>
  remove(ctx, params.subscription_id),
);
