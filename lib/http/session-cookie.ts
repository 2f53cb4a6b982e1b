import { sessionTokenIn } from "@/lib/domain/accounts/session-token";
import { unscopedFindSession } from "@/lib/domain/users/rows";
import { digest } from "@/lib/kernel/secrets";

/** The digest of the session a request carries in its cookie; undefined without one. */
export function sessionDigest(request: Request): string | undefined {
  const header = request.headers.get("cookie");
  const token = header ? sessionTokenIn(header) : undefined;
  return token === undefined ? undefined : digest(token);
}

/** The valid session of a request's cookie; undefined without one. */
export async function sessionOf(request: Request) {
  const found = sessionDigest(request);
  return found === undefined ? undefined : unscopedFindSession(found);
}
