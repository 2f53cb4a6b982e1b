import { withTransaction } from "@/db/client";
import { hashPassword, newPassword } from "@/lib/kernel/password";
import { notFound } from "@/lib/kernel/problem";
import { securityNotice } from "./notices";
import { noteInBusinesses } from "../users/note";
import {
  markVerified,
  unscopedDropCredentials,
  unscopedDropSecondFactors,
  unscopedLockUserByEmail,
  unscopedSetPassword,
} from "../users/rows";

/**
 * For the operator, who vouches for the address: gives a person a new password, ends their sessions and any lock, and mails them a notice. Second
 * factors and passkeys go with `secondFactors`, and always where the address was not proven. Throws 404.
 */
export async function resetPassword(
  email: string,
  options: { secondFactors?: boolean } = {},
): Promise<{ password: string }> {
  const password = newPassword();
  const hash = await hashPassword(password);
  await withTransaction(async (tx) => {
    const user = await unscopedLockUserByEmail(email, tx);
    if (!user) throw notFound();
    if (!user.emailVerified) await unscopedDropCredentials(tx, user.id);
    await unscopedSetPassword(tx, user.id, hash);
    await markVerified(tx, user.id);
    if (options.secondFactors) await unscopedDropSecondFactors(tx, user.id);
    await securityNotice(tx, {
      recipient: user.email,
      action: options.secondFactors ? "second_factor_reset" : "operator_reset",
      person: "The operator",
      businessName: null,
      mode: null,
      clientAddress: null,
    });
    await noteInBusinesses(
      tx,
      user.id,
      {
        action: "user:reset",
        address: null,
        details: { second_factors: options.secondFactors ?? false },
      },
      { kind: "operator" },
    );
  });
  return { password };
}
