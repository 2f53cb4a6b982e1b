import { getBatchReport } from "@/lib/contract/batches";
import { report } from "@/lib/flows/batch/steps";
import { defineRoute } from "@/lib/http/define-route";

export const GET = defineRoute(getBatchReport, ({ ctx, params }) => report(ctx, params.batch_id));
