import { systemCtx } from "@/lib/domain/context";
import { activationUrl } from "@/lib/domain/tokenizations/present";
import { unscopedFindById } from "@/lib/domain/tokenizations/rows";
import { isReturnProof, parseReference, referenceOf } from "@/lib/domain/tokenizations/rules";
import { env } from "@/lib/env";
import { withParameters } from "@/lib/kernel/address";
import { unseal } from "@/lib/kernel/secrets";
import { lookUpEndedForPayer, lookUpForPayer } from "./reconcile";

/**
 * A payer comes back from the gateway, which proves nothing: the gateway is asked, unless this payer came back too often just now. Returns
 * the address to go to next; undefined for a way back that was not given to the gateway.
 */
export async function returnFrom(
  id: string,
  attempt: string,
  proof: string,
  requestId: string,
): Promise<string | undefined> {
  const named = parseReference(referenceOf(id, Number(attempt)));
  if (!named || !isReturnProof(named.id, named.attempt, proof)) return undefined;
  const known = await unscopedFindById(named.id);
  if (!known) return undefined;
  const ctx = systemCtx(known, { kind: "payer" }, requestId);
  const isOpen = named.attempt === known.attempt && known.attemptAt !== null;
  const row = isOpen
    ? await lookUpForPayer(ctx, known)
    : await lookUpEndedForPayer(ctx, known, named.attempt);
  if (row.status !== "active") return activationUrl(unseal(row.token, "tokenization"), row.mode);
  if (row.redirectUrl === null) return `${env.BASE_URL}/thank-you?tokenization_id=${row.id}`;
  return withParameters(row.redirectUrl, [
    ["tokenization_id", row.id],
    ["tokenization_status", row.status],
  ]);
}
