import { signUp } from "@/lib/contract/account";
import { enter } from "@/lib/domain/accounts/enter";
import { signUp as makeBusiness } from "@/lib/domain/team/sign-up";
import { defineAccountRoute } from "@/lib/http/define-account-route";

export const POST = defineAccountRoute(signUp, async ({ body, from, admit }) => {
  const made = await makeBusiness(body, from.address);
  admit(await enter(made.email, body.password, from));
  return { business_id: made.businessId, email: made.email, two_factor: false };
});
