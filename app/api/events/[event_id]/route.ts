import { getEvent } from "@/lib/contract/events";
import { get } from "@/lib/domain/events/get";
import { defineRoute } from "@/lib/http/define-route";

export const GET = defineRoute(getEvent, ({ ctx, params }) => get(ctx, params.event_id));
