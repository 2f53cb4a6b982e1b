import { getMe, updateMe } from "@/lib/contract/me";
import { renew } from "@/lib/domain/accounts/enter";
import { me, rename } from "@/lib/domain/users/me";
import { definePersonRoute } from "@/lib/http/define-account-route";

export const GET = definePersonRoute(getMe, async ({ person, from, admit }) => {
  admit(await renew(from.cookie));
  return me(person);
});
export const PUT = definePersonRoute(updateMe, ({ person, body }) => rename(person, body.name));
