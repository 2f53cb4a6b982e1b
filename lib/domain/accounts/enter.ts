import { APIError } from "better-auth/api";
import { db } from "@/db/client";
import { Problem, unavailable } from "@/lib/kernel/problem";
import type { UserRow } from "../users/rows";
import { auth } from "./auth";
import { clientHeader } from "./headers";
import { BROWSER_COOKIE } from "./known-browser";
import { operatorResetMail } from "./mails";
import { passwordToken } from "./proof";
import { cookieName, cookiePairs } from "./session-token";
import { withActiveSignatures } from "./signed-cookies";

/** The Set-Cookie lines of a sign-in, and whether the second factor is still to come. */
export type Entry = { cookies: string[]; twoFactor: boolean };

/** The marks of the accounts that have signed in with this browser, which the answer adds to; else it would replace them. */
const marksIn = (cookie: string) =>
  cookiePairs(cookie)
    .filter((pair) => pair.startsWith(`${cookieName(BROWSER_COOKIE)}=`))
    .join("; ");

/** Signs a person in by password, as the sign-in page does where nothing is to be remembered. Throws 401, and 429 for a locked account. */
export async function enter(
  email: string,
  password: string,
  from: { address: string; userAgent: string; cookie: string },
): Promise<Entry> {
  const headers = new Headers({
    [clientHeader]: from.address,
    "user-agent": from.userAgent,
    cookie: marksIn(from.cookie),
  });
  try {
    const answer = await auth().api.signInEmail({
      body: { email, password, rememberMe: false },
      headers,
      returnHeaders: true,
    });
    return {
      cookies: answer.headers.getSetCookie(),
      twoFactor: "twoFactorRedirect" in answer.response,
    };
  } catch (error) {
    if (!(error instanceof APIError)) throw error;
    if (error.statusCode === 429)
      throw new Problem(
        429,
        "too_many_requests",
        "Too many wrong passwords. Try again later, or reset the password.",
        { headers: { "retry-after": "900" } },
      );
    throw unauthenticated();
  }
}

/**
 * Lets a session in use run on: after a day its cookie is handed out anew for seven more. Takes the Cookie header. Throws 401 when the session
 * ends meanwhile, and 503 when the database does not answer.
 */
export async function renew(cookie: string): Promise<Entry> {
  const headers = new Headers({ cookie: await withActiveSignatures(cookie) });
  const answer = await auth().api.getSession({ headers, returnHeaders: true }).catch(notRenewed);
  return { cookies: answer.headers.getSetCookie(), twoFactor: false };
}

const unauthenticated = () => new Problem(401, "unauthenticated", "Unauthenticated.");

/** Better Auth hides what went wrong while it read or wrote the session. */
function notRenewed(error: unknown): never {
  if (!(error instanceof APIError)) throw error;
  if (error.statusCode === 401) throw unauthenticated();
  throw unavailable(error);
}

/** For the operator: mails a person the link to choose a password by. */
export async function mailPasswordLink({
  id,
  email,
}: Pick<UserRow, "id" | "email">): Promise<void> {
  const token = await passwordToken(await auth().$context, id);
  await operatorResetMail(db, { recipient: email, token });
}
