import { APIError } from "better-auth/api";
import { Problem } from "@/lib/kernel/problem";
import { auth } from "./auth";
import { clientHeader } from "./headers";
import { withActiveSignatures } from "./signed-cookies";

/** The Set-Cookie lines of a sign-in, and whether the second factor is still to come. */
export type Entry = { cookies: string[]; twoFactor: boolean };

/** Signs a person in by password, as the sign-in page would. Throws 401, and 429 for a locked account. */
export async function enter(
  email: string,
  password: string,
  from: { address: string; userAgent: string },
): Promise<Entry> {
  const headers = new Headers({ [clientHeader]: from.address, "user-agent": from.userAgent });
  try {
    const answer = await auth().api.signInEmail({
      body: { email, password },
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
    throw new Problem(401, "unauthenticated", "Unauthenticated.");
  }
}

/** Lets a session in use run on: after a day its cookie is handed out anew for seven more. Takes the Cookie header. */
export async function renew(cookie: string): Promise<Entry> {
  const answer = await auth().api.getSession({
    headers: new Headers({ cookie: await withActiveSignatures(cookie) }),
    returnHeaders: true,
  });
  return { cookies: answer.headers.getSetCookie(), twoFactor: false };
}

/** Mails a person the link to choose a password by. */
export async function mailPasswordLink(email: string): Promise<void> {
  await auth().api.requestPasswordReset({ body: { email } });
}
