import { type Allowance, giveBack, peek, reset, take } from "@/lib/domain/limits/limits";
import { digest } from "@/lib/kernel/secrets";
import { unscopedEndSession } from "../users/rows";
import { auditAccount } from "./account-audit";

/** Where a person who is signed in gives their password once more. */
export type PasswordSession = { userId: string; sessionId: string };

/** Failures count for this session alone, so that a stolen session cannot lock its owner out. */
const countOf = ({ userId, sessionId }: PasswordSession) => digest(`${userId}:${sessionId}`);

/** Counts a password before it is looked at, so that tries side by side count too. */
export const countPassword = (session: PasswordSession): Promise<Allowance> =>
  take("account_address", countOf(session));

/** After a right password: only failures count. */
export const forgetPasswords = (session: PasswordSession): Promise<void> =>
  reset("account_address", countOf(session));

/** After a call that was refused for something else. */
export const returnPassword = (session: PasswordSession): Promise<void> =>
  giveBack("account_address", countOf(session));

/** Writes a wrong password into the audit log. The last one that the limit allows ends the session. */
export async function noteWrongPassword(
  session: PasswordSession,
  address: string | null,
): Promise<void> {
  const { userId, sessionId } = session;
  await auditAccount(userId, { action: "reauthentication_failed", address });
  const { allowed } = await peek("account_address", countOf(session));
  if (!allowed) await unscopedEndSession(userId, sessionId);
}
