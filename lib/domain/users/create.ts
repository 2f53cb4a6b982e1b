import { type Executor, db, type Tx } from "@/db/client";
import type { Role } from "@/lib/contract/values";
import { hashPassword } from "@/lib/kernel/password";
import { conflict, invalid } from "@/lib/kernel/problem";
import { noteInBusinesses } from "./note";
import {
  insertMembership,
  markVerified,
  type UserRow,
  unscopedDropCredentials,
  unscopedInsertUser,
  unscopedLockUserByEmail,
  unscopedRename,
  unscopedSetPassword,
} from "./rows";

export type NewUser = {
  email: string;
  password: string;
  name: string;
  /** True where a mail, the setup code or the operator has proven the address. */
  emailVerified: boolean;
};

/** Makes a person who can sign in with a password. Throws 422 on `email` when the address is taken. */
export async function createUser(
  { password, ...user }: NewUser,
  on: Executor = db,
): Promise<UserRow> {
  const made = await unscopedInsertUser(on, user, await hashPassword(password));
  if (!made) throw invalid({ email: ["The email has already been taken."] });
  return made;
}

/**
 * Makes a person, or gives an account that never proved its address to the one who has it now: all that opened it before goes first.
 * Throws 422 on `email` when the address is that of a proven account.
 */
export async function claimUser(input: NewUser, on: Tx, address: string | null): Promise<UserRow> {
  const known = await unscopedLockUserByEmail(input.email, on);
  if (!known || known.emailVerified) return createUser(input, on);
  await unscopedDropCredentials(on, known.id);
  await unscopedSetPassword(on, known.id, await hashPassword(input.password));
  if (input.emailVerified) await markVerified(on, known.id);
  await noteInBusinesses(on, known.id, { action: "account_reset", address });
  return {
    ...(await unscopedRename(known.id, input.name, on)),
    emailVerified: input.emailVerified,
  };
}

/** Gives a person a role in a business. Throws 409 when they are a member already. */
export async function addMember(
  businessId: number,
  userId: string,
  role: Role,
  on: Executor = db,
  joinedByLink = false,
): Promise<void> {
  if (!(await insertMembership(on, businessId, userId, role, joinedByLink)))
    throw conflict("This person is already a member of the business.");
}
