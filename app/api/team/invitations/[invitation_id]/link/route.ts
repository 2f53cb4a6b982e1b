import { copyInvitationLink } from "@/lib/contract/team";
import { copyLink } from "@/lib/domain/team/invitations";
import { defineRoute } from "@/lib/http/define-route";

export const POST = defineRoute(copyInvitationLink, ({ ctx, params }) =>
  copyLink(ctx, params.invitation_id),
);
