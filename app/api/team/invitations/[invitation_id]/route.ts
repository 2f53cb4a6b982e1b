import { revokeInvitation } from "@/lib/contract/team";
import { revoke } from "@/lib/domain/team/invitations";
import { defineRoute } from "@/lib/http/define-route";

export const DELETE = defineRoute(revokeInvitation, ({ ctx, params }) =>
  revoke(ctx, params.invitation_id),
);
