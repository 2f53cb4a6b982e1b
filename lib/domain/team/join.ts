import { db, withTransaction } from "@/db/client";
import type { AcceptInput, Offer, SignUpInput } from "@/lib/contract/account";
import { env } from "@/lib/env";
import { newId, newToken } from "@/lib/kernel/ids";
import { conflict, invalid, notFound, Problem } from "@/lib/kernel/problem";
import { digest } from "@/lib/kernel/secrets";
import { invitationMail } from "../accounts/mails";
import { type Founded, found } from "../accounts/setup";
import { record } from "../audit/record";
import { addMember, createUser } from "../users/create";
import { isMember, markVerified, type UserRow, unscopedFindUserByEmail } from "../users/rows";
import { unscopedFindInvitation, unscopedInsertInvitation, unscopedUseInvitation } from "./rows";

/** What an invitation offers. Throws 404 for one that is used, taken back or too old. */
export async function lookUp(token: string): Promise<Offer> {
  const offer = await unscopedFindInvitation(digest(token));
  if (!offer) throw notFound();
  const { invitation, businessName } = offer;
  const known = (await unscopedFindUserByEmail(invitation.email)) !== undefined;
  return {
    business_id: invitation.businessId,
    business_name: businessName,
    email: invitation.email,
    role: invitation.role,
    expires_at: invitation.expiresAt,
    known,
  };
}

/**
 * Accepts an invitation: a new person with name and password, or the one signed in with its address. Answers whom, and for a new
 * person that they may be signed in. Throws 404, 401 when the address is somebody's who is not signed in, 409 for a member.
 */
export async function accept(
  input: AcceptInput,
  person: UserRow | undefined,
  address: string,
): Promise<Founded & { fresh: boolean }> {
  return withTransaction(async (tx) => {
    const invitation = await unscopedUseInvitation(tx, digest(input.token));
    if (!invitation || invitation.businessId === null) throw notFound();
    const { businessId, email, role } = invitation;
    const known = await unscopedFindUserByEmail(email, tx);
    if (known && known.id !== person?.id)
      throw new Problem(401, "unauthenticated", `Sign in as ${email} to accept this invitation.`);
    if (known && (await isMember(businessId, email, tx)))
      throw conflict("You are a member of this business already.");
    const user = known ?? (await newcomer(input, email, tx));
    // The token came by mail to this address.
    if (known && !known.emailVerified) await markVerified(tx, known.id);
    await addMember(businessId, user.id, role, tx);
    await record(
      tx,
      businessId,
      { kind: "person", id: user.id },
      { action: "joined", objectId: invitation.id, address, details: { role } },
    );
    return { businessId, email, fresh: !known };
  });
}

async function newcomer(
  { name, password }: AcceptInput,
  email: string,
  tx: Parameters<typeof unscopedUseInvitation>[0],
): Promise<UserRow> {
  const errors = {
    ...(name === undefined ? { name: ["The name field is required."] } : {}),
    ...(password === undefined ? { password: ["The password field is required."] } : {}),
  };
  if (name === undefined || password === undefined) throw invalid(errors);
  return createUser({ email, name, password, emailVerified: true }, tx);
}

/** Makes a business where SIGN_UP lets strangers, or those the operator has invited. Throws 403, and 422 for a taken address. */
export async function signUp(input: SignUpInput, address: string): Promise<Founded> {
  if (env.SIGN_UP === "closed")
    throw new Problem(403, "forbidden", "This install takes no new businesses.");
  return withTransaction(async (tx) => {
    const invitation =
      input.invitation === undefined
        ? undefined
        : await unscopedUseInvitation(tx, digest(input.invitation));
    const invited =
      invitation?.businessId === null && invitation.email === input.email.toLowerCase();
    if (env.SIGN_UP === "invite" && !invited)
      throw new Problem(403, "forbidden", "This install takes new businesses by invitation only.");
    return found(tx, input, { action: "signed_up", address, emailVerified: invited });
  });
}

/** For the operator: invites an address to make a business of its own. Answers the token that the mail carries. */
export async function inviteFounder(email: string): Promise<string> {
  const token = newToken();
  const row = await unscopedInsertInvitation(db, {
    id: newId(),
    businessId: null,
    email: email.toLowerCase(),
    role: "owner",
    digest: digest(token),
    invitedBy: null,
  });
  await invitationMail(db, {
    recipient: row.email,
    token,
    inviter: "The operator",
    businessName: null,
    role: row.role,
    expiresAt: row.expiresAt,
  });
  return token;
}
