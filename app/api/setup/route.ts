import { getInstall, setUpInstall } from "@/lib/contract/account";
import { enter } from "@/lib/domain/accounts/enter";
import { describeInstall, setUp } from "@/lib/domain/accounts/setup";
import { defineAccountRoute } from "@/lib/http/define-account-route";

export const GET = defineAccountRoute(getInstall, describeInstall);
export const POST = defineAccountRoute(setUpInstall, async ({ body, from, admit }) => {
  const made = await setUp(body, from.address);
  admit(await enter(made.email, body.password, from));
  return { business_id: made.businessId, email: made.email, two_factor: false };
});
