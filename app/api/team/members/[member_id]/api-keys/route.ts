import { listMemberApiKeys } from "@/lib/contract/team";
import { memberKeys } from "@/lib/domain/team/members";
import { defineRoute } from "@/lib/http/define-route";

export const GET = defineRoute(listMemberApiKeys, ({ ctx, params }) =>
  memberKeys(ctx, params.member_id),
);
