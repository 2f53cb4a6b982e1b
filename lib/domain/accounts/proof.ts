import type { GenericEndpointContext } from "better-auth";
import { APIError, getSessionFromCtx } from "better-auth/api";
import { generateRandomString } from "better-auth/crypto";
import { withTransaction } from "@/db/client";
import { unverified } from "@/lib/kernel/problem";
import {
  markVerified,
  type UserRow,
  unscopedDropCredentials,
  unscopedDropSecondFactors,
  unscopedLockUser,
} from "../users/rows";

const RESET_MINUTES = 60;

// An account with an unproven address gets neither of these.
const needsProof = new Set([
  "/two-factor/enable",
  "/two-factor/verify-totp",
  "/two-factor/generate-backup-codes",
  "/passkey/generate-register-options",
  "/passkey/verify-registration",
]);

/** Refuses passkeys and second factors to the person signed in, until their address is proven. Throws 403. */
export async function assertProven(ctx: GenericEndpointContext): Promise<void> {
  if (!needsProof.has(ctx.path ?? "")) return;
  const session = await getSessionFromCtx(ctx);
  if (!session || session.user.emailVerified) return;
  const { code, message } = unverified();
  throw new APIError("FORBIDDEN", { code, message });
}

type Proof = { userId: string; reset: boolean };
const proofs = new WeakMap<Request, Proof>();

/**
 * The first mailed proof of an address. Opened anywhere but in the account's own signed-in browser, it ends every earlier way into the
 * account: its creator had not proven the address. Memberships stay.
 */
export async function proveAddress(
  user: Pick<UserRow, "id">,
  request: Request | undefined,
  signedIn: string | undefined,
): Promise<{ reset: boolean }> {
  const reset = await withTransaction(async (tx) => {
    const proven = (await unscopedLockUser(user.id, tx))?.emailVerified;
    const drops = !proven && signedIn !== user.id;
    if (drops) await unscopedDropCredentials(tx, user.id);
    await markVerified(tx, user.id);
    return drops;
  });
  if (request) proofs.set(request, { userId: user.id, reset });
  return { reset };
}

/** A reset by mail. Where it is the first proof of the address, what the account was given before ends; true in that case. */
export async function proveByReset({ id }: Pick<UserRow, "id">): Promise<boolean> {
  return withTransaction(async (tx) => {
    if ((await unscopedLockUser(id, tx))?.emailVerified) return false;
    await unscopedDropSecondFactors(tx, id);
    await markVerified(tx, id);
    return true;
  });
}

/** What a confirmation by mail answers: after a reset with the token to choose a password by, in the browser that holds the mailed link. */
export async function answerProof(ctx: GenericEndpointContext): Promise<unknown> {
  const proof = ctx.request && proofs.get(ctx.request);
  if (!proof?.reset) return undefined;
  const token = await passwordToken(ctx.context, proof.userId);
  return ctx.json({ status: true, password_token: token });
}

/** A token to choose a password by, as a reset link carries one. */
export async function passwordToken(
  { internalAdapter }: Pick<GenericEndpointContext["context"], "internalAdapter">,
  userId: string,
): Promise<string> {
  const token = generateRandomString(24);
  await internalAdapter.createVerificationValue({
    identifier: `reset-password:${token}`,
    value: userId,
    expiresAt: new Date(Date.now() + RESET_MINUTES * 60_000),
  });
  return token;
}
