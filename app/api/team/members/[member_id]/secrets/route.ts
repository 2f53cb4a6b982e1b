import { getMemberSecrets } from "@/lib/contract/team";
import { memberSecrets } from "@/lib/domain/team/members";
import { defineRoute } from "@/lib/http/define-route";

export const GET = defineRoute(getMemberSecrets, ({ ctx, params }) =>
  memberSecrets(ctx, params.member_id),
);
