import { reach } from "./call";
import { notify } from "./notices";
import { ApiProblem } from "./problem";
import { dropContents, keepsAny } from "./sent";
import { readMe } from "./use-me";

const post = (path: string, body: object): Promise<unknown> =>
  reach(`/api/auth${path}`, {
    method: "POST",
    credentials: "same-origin",
    headers: { "content-type": "application/json", accept: "application/json" },
    body: JSON.stringify(body),
  });

/** Signs in by password; true where the code of an authenticator app is still to come. Throws ApiProblem. */
export async function signIn(fields: {
  email: string;
  password: string;
  rememberMe: boolean;
}): Promise<boolean> {
  const answer = (await post("/sign-in/email", fields)) as {
    twoFactorRedirect?: boolean;
  } | null;
  return answer?.twoFactorRedirect === true;
}

/** The second step of signing in, by authenticator app or by one of the recovery codes. Throws ApiProblem. */
export async function verifySecondFactor(code: string, kind: "app" | "recovery"): Promise<void> {
  await post(kind === "app" ? "/two-factor/verify-totp" : "/two-factor/verify-backup-code", {
    code: code.replace(/\s/g, ""),
  });
}

/** Sends a mail to choose a new password by; the response is the same for an unknown address. Throws ApiProblem. */
export async function requestPasswordReset(email: string): Promise<void> {
  await post("/request-password-reset", { email });
}

/** Sets a new password with the token of the mail. Throws ApiProblem. */
export async function resetPassword(token: string, newPassword: string): Promise<void> {
  await post("/reset-password", { token, newPassword });
}

/** Ends this session and loads another page, so that nothing of it stays in memory. Stays and says so where the session may go on. */
export async function signOut(to: "/sign-in" | "/invitation" = "/sign-in"): Promise<void> {
  try {
    await post("/sign-out", {});
  } catch (error) {
    const ended = error instanceof ApiProblem && error.status === 401;
    if (!ended)
      return notify({ title: "You are still signed in", description: "Try again.", tone: "bad" });
  }
  dropContents();
  window.location.replace(to);
}

/** Keeps no word of a payer once a session has ended elsewhere, or by its age. While it goes on, other tabs need what they keep. */
export async function dropOfEndedSession(): Promise<void> {
  if (!keepsAny()) return;
  try {
    await readMe();
  } catch (error) {
    if (error instanceof ApiProblem && error.status === 401) dropContents();
  }
}

/**
 * Confirms an address with the token of its mail. Returns the token to choose a password by where the account was reset: it was confirmed
 * in a browser that is not signed in as it. Throws ApiProblem.
 */
export async function verifyEmail(token: string): Promise<string | null> {
  const answer = await reach(`/api/auth/verify-email?token=${encodeURIComponent(token)}`, {
    credentials: "same-origin",
    headers: { accept: "application/json" },
  });
  return (answer as { password_token?: string } | null)?.password_token ?? null;
}
