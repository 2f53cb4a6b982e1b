import { listEvents } from "@/lib/contract/events";
import { list, validateAgainstRecords } from "@/lib/domain/events/list";
import { defineRoute } from "@/lib/http/define-route";

export const GET = defineRoute(
  listEvents,
  ({ ctx, query, search }) => list(ctx, query, search),
  ({ ctx, query }) => validateAgainstRecords(ctx, query),
);
