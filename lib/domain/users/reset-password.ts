import { withTransaction } from "@/db/client";
import { hashPassword, newPassword } from "@/lib/kernel/password";
import { notFound } from "@/lib/kernel/problem";
import { digest } from "@/lib/kernel/secrets";
import { unscopedDropSecondFactors, unscopedFindUserByEmail, unscopedForgetTries, unscopedSetPassword } from "./rows";

/** For the operator: gives a person a new password, ends their sessions and any lock; with `secondFactors` takes those away too. Throws 404. */
export async function resetPassword(email: string, options: { secondFactors?: boolean } = {}): Promise<{ password: string }> {
  const password = newPassword();
  const hash = await hashPassword(password);
  await withTransaction(async (tx) => {
    const user = await unscopedFindUserByEmail(email, tx);
    if (!user) throw notFound();
    await unscopedSetPassword(tx, user.id, hash);
    await unscopedForgetTries(accountOf(user.email), tx);
    if (options.secondFactors) await unscopedDropSecondFactors(tx, user.id);
  });
  return { password };
}

/** What failures of an address are counted under. */
export const accountOf = (email: string) => digest(`account:${email.trim().toLowerCase()}`);
