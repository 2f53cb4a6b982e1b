import { setTimeout as pause } from "node:timers/promises";
import { db, type Executor, withTransaction } from "@/db/client";
import { NO_BUSINESS } from "@/db/columns";
import type { SignUpInput, SignUpRequest } from "@/lib/contract/account";
import { env } from "@/lib/env";
import { newId, newToken } from "@/lib/kernel/ids";
import { Problem } from "@/lib/kernel/problem";
import { digest } from "@/lib/kernel/secrets";
import { knownAccountMail, operatorInvitationMail, signUpMail } from "../accounts/mails";
import { type Founded, found } from "../accounts/setup";
import { unscopedFindUserByEmail } from "../users/rows";
import { type InvitationRow, unscopedInsertInvitation, unscopedUseInvitation } from "./rows";

// The time that the answer takes must not show whether an address has an account.
const EVEN_MS = 250;

/** Mails an address the link to make a business by; one that has an account gets a mail that says so instead. Throws 403 unless the install is open. */
export async function requestSignUp(email: string): Promise<SignUpRequest> {
  if (env.SIGN_UP !== "open") throw new Problem(403, "forbidden", "Sign-up is by invitation only.");
  await Promise.all([mailSignUp(email), pause(EVEN_MS)]);
  return { email };
}

async function mailSignUp(email: string): Promise<void> {
  const known = await unscopedFindUserByEmail(email);
  if (known?.emailVerified) return knownAccountMail(db, { recipient: known.email });
  await signUpMail(db, email.toLowerCase(), async () => {
    const { token, row } = await newOffer(db, email);
    return { token, expiresAt: row.expiresAt };
  });
}

/** Makes a business for the address that a mailed link has proven. Throws 403, and 422 when the address has an account. */
export async function signUp(input: SignUpInput, address: string): Promise<Founded> {
  if (env.SIGN_UP === "closed")
    throw new Problem(403, "forbidden", "This install takes no new businesses.");
  return withTransaction(async (tx) => {
    const offer = await unscopedUseInvitation(tx, digest(input.invitation));
    if (offer?.businessId !== NO_BUSINESS || offer.email !== input.email.toLowerCase())
      throw new Problem(403, "forbidden", "This link does not work. Ask for a new one.");
    return found(tx, input, { action: "signed_up", address });
  });
}

/** For the operator: invites an address to make a business of its own. Returns the token that the mail carries. */
export async function inviteFounder(email: string): Promise<string> {
  const { token, row } = await newOffer(db, email);
  await operatorInvitationMail(db, {
    id: row.id,
    recipient: row.email,
    token,
    inviter: "The operator",
    businessName: null,
    role: row.role,
    expiresAt: row.expiresAt,
  });
  return token;
}

async function newOffer(
  on: Executor,
  email: string,
): Promise<{ token: string; row: InvitationRow }> {
  const token = newToken();
  const row = await unscopedInsertInvitation(on, {
    id: newId(),
    businessId: NO_BUSINESS,
    email: email.toLowerCase(),
    role: "owner",
    digest: digest(token),
    invitedBy: null,
  });
  return { token, row };
}
