import { withTransaction } from "@/db/client";
import { NO_BUSINESS } from "@/db/columns";
import type { AcceptInput, Offer } from "@/lib/contract/account";
import { isEasyToGuess } from "@/lib/contract/password";
import { conflict, invalid, notFound, Problem } from "@/lib/kernel/problem";
import { digest } from "@/lib/kernel/secrets";
import type { Founded } from "../accounts/setup";
import { record } from "../audit/record";
import { findBusiness } from "../businesses/rows";
import { addMember, claimUser } from "../users/create";
import {
  isMember,
  markVerified,
  type UserRow,
  unscopedFindUserByEmail,
  unscopedLockUserByEmail,
} from "../users/rows";
import { type InvitationRow, unscopedFindInvitation, unscopedUseInvitation } from "./rows";

/** Whether a token came by mail, which proves the address, as against a link that a member copied. */
const isMailed = (invitation: InvitationRow, token: string) => invitation.digest === digest(token);

/** Whether the account goes on as it is: a proven one, or the one signed in where its first proof is opened. */
const isKept = (known: UserRow, person: UserRow | undefined, mailed: boolean) =>
  known.emailVerified || (mailed && known.id === person?.id);

/**
 * What an invitation offers the one who opens it. A copied link does not say whether its address has an account, but to that account itself:
 * any member may copy one. Throws 404 for one that is used, taken back or too old.
 */
export async function lookUp(token: string, person: UserRow | undefined): Promise<Offer> {
  const offer = await unscopedFindInvitation(digest(token));
  if (!offer) throw notFound();
  const { invitation, businessName } = offer;
  const known = await unscopedFindUserByEmail(invitation.email);
  const mailed = isMailed(invitation, token);
  const kept = known !== undefined && isKept(known, person, mailed);
  const isOwn = known !== undefined && known.id === person?.id;
  return {
    business_id: invitation.businessId === NO_BUSINESS ? null : invitation.businessId,
    business_name: businessName,
    email: invitation.email,
    role: invitation.role,
    expires_at: invitation.expiresAt,
    known: kept && (mailed || isOwn),
    resets: isOwn && !kept,
  };
}

/**
 * Accepts an invitation: as the proven account of its address, signed in, or with name and password as a new one. An account that never
 * proved the address is reset first; by a copied link it then opens this one business alone. Returns whom, and for a new or reset account
 * that they may be signed in. Throws 404, 401 when the address's account is not signed in, 409 for a member. By a copied link the 401 comes
 * only once name and password were sent, as for a new account.
 */
export async function accept(
  input: AcceptInput,
  person: UserRow | undefined,
  address: string,
): Promise<Founded & { fresh: boolean }> {
  return withTransaction(async (tx) => {
    const invitation = await unscopedUseInvitation(tx, digest(input.token));
    if (!invitation || invitation.businessId === NO_BUSINESS) throw notFound();
    const { businessId, email, role } = invitation;
    const mailed = isMailed(invitation, input.token);
    const businessName = (await findBusiness(businessId, tx))?.name ?? "";
    const known = await unscopedLockUserByEmail(email, tx);
    const kept = known && isKept(known, person, mailed) ? known : undefined;
    const isOwn = kept !== undefined && kept.id === person?.id;
    if (!mailed && !isOwn) assertNewcomer(input, email, businessName);
    if (kept && !isOwn)
      throw new Problem(401, "unauthenticated", `Sign in as ${email} to accept this invitation.`);
    if (known && (await isMember(businessId, email, tx)))
      throw conflict("You are already a member of this business.");
    const user =
      kept ??
      (await claimUser(
        { email, ...assertNewcomer(input, email, businessName), emailVerified: mailed },
        tx,
        address,
      ));
    if (kept && !kept.emailVerified) await markVerified(tx, kept.id);
    await addMember(businessId, user.id, role, tx, !mailed && !user.emailVerified);
    await record(
      tx,
      businessId,
      { kind: "person", id: user.id },
      {
        action: "joined",
        objectId: invitation.id,
        address,
        details: {
          role,
          email,
          by: mailed ? "mail" : "link",
          ...(known && !kept && { reset: true }),
        },
      },
    );
    return { businessId, email, fresh: !kept };
  });
}

/** Name and password of a new account. Throws 422. */
function assertNewcomer(
  { name, password }: AcceptInput,
  email: string,
  businessName: string,
): { name: string; password: string } {
  const errors = {
    ...(name === undefined ? { name: ["The name field is required."] } : {}),
    ...(password === undefined ? { password: ["The password field is required."] } : {}),
  };
  if (name === undefined || password === undefined) throw invalid(errors);
  if (isEasyToGuess(password, [email, name, businessName]))
    throw invalid({ password: ["The password is too easy to guess."] });
  return { name, password };
}
