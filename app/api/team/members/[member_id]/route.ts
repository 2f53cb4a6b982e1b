import { changeMember, removeMember } from "@/lib/contract/team";
import { changeRole, removeMember as remove } from "@/lib/domain/team/members";
import { defineRoute } from "@/lib/http/define-route";

export const PUT = defineRoute(changeMember, ({ ctx, params, query, body }) =>
  changeRole(ctx, params.member_id, body.role, query),
);
export const DELETE = defineRoute(removeMember, ({ ctx, params, query }) =>
  remove(ctx, params.member_id, query),
);
