import { withTransaction } from "@/db/client";
import { newCredential } from "@/lib/kernel/ids";
import { notFound } from "@/lib/kernel/problem";
import { inBackground } from "@/lib/kernel/background";
import { digest, isSameSecret, unseal } from "@/lib/kernel/secrets";
import { record } from "../audit/record";
import { findBusiness } from "../businesses/rows";
import type { Ctx } from "../context";
import { type Hook, list } from "./hooks";
import {
  findIntegration,
  type FoundIntegration,
  insertToken,
  lockIntegration,
  noteKeysRead,
} from "./rows";

/** A token for a plugin that has shown the password with this digest; null where the password has ended meanwhile. */
export async function issueToken(
  ctx: Ctx,
  integrationId: string,
  passwordDigest: string,
): Promise<{ token: string } | null> {
  const token = newCredential("token", ctx.mode, integrationId);
  return withTransaction(async (tx) => {
    const row = await lockIntegration(ctx, tx, integrationId);
    if (!row || row.revokedAt || !isSameSecret(passwordDigest, row.passwordDigest)) return null;
    await insertToken(ctx, tx, integrationId, digest(token));
    return { token };
  });
}

/** Writes that failures from an address have locked its sign-ins. Each failure of its own would let anyone fill a log that is kept forever. */
export function auditLockedSignIn(
  { businessId, mode, id }: FoundIntegration,
  address: string,
  requestId: string,
): void {
  inBackground("the audit of a locked sign-in", () =>
    withTransaction((tx) =>
      record(
        tx,
        businessId,
        { kind: "clock" },
        { action: "plugin_sign_in_locked", mode, objectId: id, address, requestId },
      ),
    ),
  );
}

/** What a plugin reads after its sign-in: the business, and the keys that it stores. */
export type ApprovedBusiness = {
  id: number;
  name: string;
  integration: { id: number; api_key: string; signature_key: string; webhook_events: Hook[] };
};

/**
 * The business of an integration with its keys. Plugins ask again at every "Retrieve key". Throws 404, also where the keys were replaced
 * after the caller was authenticated: new keys are not for a sign-in of before.
 */
export async function approvedBusiness(
  ctx: Ctx,
  { id, apiKeyDigest }: Pick<FoundIntegration, "id" | "apiKeyDigest">,
): Promise<ApprovedBusiness> {
  const [business, row] = await Promise.all([
    findBusiness(ctx.businessId),
    findIntegration(ctx, id),
  ]);
  if (!business || row?.apiKeyDigest !== apiKeyDigest) throw notFound();
  if (row.keysReplacedAt) await noteKeysRead(ctx, row);
  return {
    id: business.id,
    name: business.name,
    integration: {
      id: row.number,
      api_key: unseal(row.apiKey, "integration"),
      signature_key: unseal(row.signatureKey, "integration"),
      webhook_events: await list(ctx, id),
    },
  };
}
