import { requestSignUp } from "@/lib/contract/account";
import { requestSignUp as request } from "@/lib/domain/team/sign-up";
import { defineAccountRoute } from "@/lib/http/define-account-route";

export const POST = defineAccountRoute(requestSignUp, ({ body }) => request(body.email));
