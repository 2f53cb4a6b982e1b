import { resetSecondFactor } from "@/lib/contract/team";
import { resetSecondFactor as reset } from "@/lib/domain/team/second-factor";
import { defineRoute } from "@/lib/http/define-route";

export const POST = defineRoute(resetSecondFactor, ({ ctx, params }) =>
  reset(ctx, params.member_id),
);
