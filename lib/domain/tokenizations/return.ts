import { env } from "@/lib/env";
import { withParameters } from "@/lib/kernel/address";
import { unseal } from "@/lib/kernel/secrets";
import { systemCtx } from "../context";
import { activationUrl } from "./present";
import { lookUp } from "./reconcile";
import { unscopedFindById } from "./rows";
import { isReturnProof, parseReference, referenceOf } from "./rules";

/**
 * A payer comes back from the gateway, which proves nothing: the gateway is asked. Answers the address to go to next;
 * undefined for a way back that was not given to the gateway.
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
  const row =
    named.attempt === known.attempt
      ? await lookUp(systemCtx(known, { kind: "payer" }, requestId), known)
      : known;
  if (row.status !== "active") return activationUrl(unseal(row.token, "tokenization"), row.mode);
  if (row.redirectUrl === null) return `${env.BASE_URL}/thank-you?tokenization_id=${row.id}`;
  return withParameters(row.redirectUrl, [
    ["tokenization_id", row.id],
    ["tokenization_status", row.status],
  ]);
}
