import { type Executor, db } from "@/db/client";
import type { Role } from "@/db/schema/businesses";
import { conflict, invalid } from "@/lib/kernel/problem";
import { hashPassword } from "@/lib/kernel/password";
import { insertMembership, type UserRow, unscopedInsertUser } from "./rows";

export type NewUser = { email: string; password: string; name: string; emailVerified?: boolean };

/** Makes a person who can sign in with a password. Throws 422 on `email` when the address is taken. */
export async function createUser(input: NewUser, on: Executor = db): Promise<UserRow> {
  const made = await unscopedInsertUser(
    on,
    { name: input.name, email: input.email, emailVerified: input.emailVerified ?? false },
    await hashPassword(input.password),
  );
  if (!made) throw invalid({ email: ["The email has already been taken."] });
  return made;
}

/** Gives a person a role in a business. Throws 409 when they are a member already. */
export async function addMember(
  businessId: number,
  userId: string,
  role: Role,
  on: Executor = db,
): Promise<void> {
  if (!(await insertMembership(on, businessId, userId, role)))
    throw conflict("This person is a member of the business already.");
}
