import { endMyOtherSessions, listMySessions } from "@/lib/contract/me";
import { endOtherSessions, listSessions } from "@/lib/domain/users/me";
import { definePersonRoute } from "@/lib/http/define-account-route";

export const GET = definePersonRoute(listMySessions, ({ person }) => listSessions(person));
export const DELETE = definePersonRoute(endMyOtherSessions, ({ person }) =>
  endOtherSessions(person),
);
