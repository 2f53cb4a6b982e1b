import { listMemberIntegrations } from "@/lib/contract/team";
import { memberIntegrations } from "@/lib/domain/team/members";
import { defineRoute } from "@/lib/http/define-route";

export const GET = defineRoute(listMemberIntegrations, ({ ctx, params }) =>
  memberIntegrations(ctx, params.member_id),
);
