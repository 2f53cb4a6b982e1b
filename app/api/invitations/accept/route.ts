import { acceptInvitation } from "@/lib/contract/account";
import { enter } from "@/lib/domain/accounts/enter";
import { accept } from "@/lib/domain/team/join";
import { defineAccountRoute } from "@/lib/http/define-account-route";

export const POST = defineAccountRoute(acceptInvitation, async ({ body, person, from, admit }) => {
  const { businessId, email, fresh } = await accept(body, person?.user, from.address);
  if (fresh && body.password !== undefined) admit(await enter(email, body.password, from));
  return { business_id: businessId, email, two_factor: false };
});
