import { createSubscription, listSubscriptions } from "@/lib/contract/subscriptions";
import { create, validateAgainstRecords } from "@/lib/domain/subscriptions/create";
import { list } from "@/lib/domain/subscriptions/list";
import { defineRoute } from "@/lib/http/define-route";

export const GET = defineRoute(listSubscriptions, ({ ctx, query, search }) =>
  list(ctx, query, search),
);
export const POST = defineRoute(
  createSubscription,
  ({ ctx, body }) => create(ctx, body),
  ({ ctx, body }) => validateAgainstRecords(ctx, body),
);
