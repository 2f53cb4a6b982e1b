import { erasePayer } from "@/lib/contract/payers";
import { erasePayer as erase } from "@/lib/flows/erasure/steps";
import { defineRoute } from "@/lib/http/define-route";

export const POST = defineRoute(erasePayer, ({ ctx, body }) => erase(ctx, body.email));
