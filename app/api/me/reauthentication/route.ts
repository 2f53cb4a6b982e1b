import { reauthenticate } from "@/lib/contract/me";
import { reauthenticate as prove } from "@/lib/domain/accounts/reauthenticate";
import { definePersonRoute } from "@/lib/http/define-account-route";

export const POST = definePersonRoute(reauthenticate, async ({ person, body, from }) => {
  await prove(person, body, from);
  return { proven: true };
});
