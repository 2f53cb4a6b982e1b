import { createInvitation, listInvitations } from "@/lib/contract/team";
import { invite, listInvitations as list } from "@/lib/domain/team/invitations";
import { defineRoute } from "@/lib/http/define-route";

export const GET = defineRoute(listInvitations, ({ ctx, query, search }) =>
  list(ctx, query, search),
);
export const POST = defineRoute(createInvitation, ({ ctx, body }) => invite(ctx, body));
