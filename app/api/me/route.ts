import { getMe } from "@/lib/contract/me";
import { me } from "@/lib/domain/users/me";
import { definePersonRoute } from "@/lib/http/define-account-route";

export const GET = definePersonRoute(getMe, ({ person }) => me(person));
