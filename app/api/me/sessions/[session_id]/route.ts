import { endMySession } from "@/lib/contract/me";
import { endSession } from "@/lib/domain/users/me";
import { definePersonRoute } from "@/lib/http/define-account-route";

export const DELETE = definePersonRoute(endMySession, ({ person, params }) =>
  endSession(person, params.session_id),
);
