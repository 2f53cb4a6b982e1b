import { stopBatch } from "@/lib/contract/batches";
import { stop } from "@/lib/domain/batches/stop";
import { defineRoute } from "@/lib/http/define-route";

export const POST = defineRoute(stopBatch, ({ ctx, params }) => stop(ctx, params.batch_id));
