import { copyInvitationLink } from "@/lib/contract/team";
import { issueInvitationLink } from "@/lib/domain/team/invitations";
import { defineRoute } from "@/lib/http/define-route";

export const POST = defineRoute(copyInvitationLink, ({ ctx, params }) =>
  issueInvitationLink(ctx, params.invitation_id),
);
