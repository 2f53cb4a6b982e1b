import { lookUpInvitation } from "@/lib/contract/account";
import { lookUp } from "@/lib/domain/team/join";
import { defineAccountRoute } from "@/lib/http/define-account-route";

export const POST = defineAccountRoute(lookUpInvitation, ({ body, person }) =>
  lookUp(body.token, person?.user),
);
