import { undoBatch } from "@/lib/contract/batches";
import { undo } from "@/lib/flows/batch/steps";
import { defineRoute } from "@/lib/http/define-route";

export const POST = defineRoute(undoBatch, ({ ctx, params }) => undo(ctx, params.batch_id));
