import { stopBatch } from "@/lib/contract/batches";
import { stop } from "@/lib/flows/batch/steps";
import { defineRoute } from "@/lib/http/define-route";

export const POST = defineRoute(stopBatch, ({ ctx, params }) => stop(ctx, params.batch_id));
