import { getWork } from "@/lib/contract/work";
import { defineRoute } from "@/lib/http/define-route";
import { workOf } from "@/lib/worker/state";

export const GET = defineRoute(getWork, ({ ctx }) => workOf(ctx));
