import { createBatch, listBatches } from "@/lib/contract/batches";
import { list } from "@/lib/domain/batches/list";
import { start, validateBatch } from "@/lib/flows/batch/steps";
import { defineRoute } from "@/lib/http/define-route";

export const GET = defineRoute(listBatches, ({ ctx, query, search }) => list(ctx, query, search));
export const POST = defineRoute(
  createBatch,
  ({ ctx, query, body }) => start(ctx, query, body),
  ({ ctx, body, errors }) => validateBatch(ctx, body, errors),
);
