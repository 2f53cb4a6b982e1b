import { previewErasure } from "@/lib/contract/payers";
import { previewErasure as preview } from "@/lib/flows/erasure/steps";
import { defineRoute } from "@/lib/http/define-route";

export const POST = defineRoute(previewErasure, ({ ctx, body }) => preview(ctx, body.email));
