import { getBatch } from "@/lib/contract/batches";
import { get } from "@/lib/domain/batches/get";
import { defineRoute } from "@/lib/http/define-route";

export const GET = defineRoute(getBatch, ({ ctx, params }) => get(ctx, params.batch_id));
