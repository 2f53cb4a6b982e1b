import { withTransaction } from "@/db/client";
import { hashPassword, newPassword } from "@/lib/kernel/password";
import { notFound } from "@/lib/kernel/problem";
import { digest } from "@/lib/kernel/secrets";
import { record } from "../audit/record";
import {
  unscopedBusinessesOf,
  unscopedDropSecondFactors,
  unscopedFindUserByEmail,
  unscopedForgetTries,
  unscopedSetPassword,
} from "./rows";

/** For the operator: gives a person a new password, ends their sessions and any lock; with `secondFactors` takes those away too. Throws 404. */
export async function resetPassword(
  email: string,
  options: { secondFactors?: boolean } = {},
): Promise<{ password: string }> {
  const password = newPassword();
  const hash = await hashPassword(password);
  await withTransaction(async (tx) => {
    const user = await unscopedFindUserByEmail(email, tx);
    if (!user) throw notFound();
    await unscopedSetPassword(tx, user.id, hash);
    await unscopedForgetTries(accountOf(user.email), tx);
    if (options.secondFactors) await unscopedDropSecondFactors(tx, user.id);
    const owned = (await unscopedBusinessesOf(user.id, tx))
      .map(({ id }) => id)
      .sort((a, b) => a - b);
    for (const id of owned) {
      await record(
        tx,
        id,
        { kind: "operator" },
        {
          action: "user:reset",
          objectId: user.id,
          details: { second_factors: options.secondFactors ?? false },
        },
      );
    }
  });
  return { password };
}

/** What failures of an address are counted under. */
export const accountOf = (email: string) => digest(`account:${email.trim().toLowerCase()}`);
