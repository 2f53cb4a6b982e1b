import { randomBytes } from "node:crypto";
import { Webhook } from "standardwebhooks";
import { seal, unseal } from "@/lib/kernel/secrets";

/** A secret as receivers write it into their settings: `whsec_` and 32 random bytes in base64. */
export function newSecret(): { secret: string; sealed: string } {
  const secret = `whsec_${randomBytes(32).toString("base64")}`;
  return { secret, sealed: seal(secret, "webhook") };
}

// Opening a secret and decoding its key costs as much as a signature: those in use are kept by what they are sealed as.
const signers = new Map<string, Webhook>();
const MAX_SIGNERS = 1_000;

function signerOf(sealed: string): Webhook {
  let signer = signers.get(sealed);
  if (!signer) {
    if (signers.size >= MAX_SIGNERS) signers.clear();
    signer = new Webhook(unseal(sealed, "webhook"));
    signers.set(sealed, signer);
  }
  return signer;
}

/** The headers of Standard Webhooks 1.0 for a body: a signature by each sealed secret, the newest first. */
export function signedHeaders(
  id: string,
  at: Date,
  body: string,
  sealed: readonly string[],
): Record<string, string> {
  return {
    "webhook-id": id,
    "webhook-timestamp": String(Math.floor(at.getTime() / 1000)),
    "webhook-signature": sealed.map((one) => signerOf(one).sign(id, at, body)).join(" "),
  };
}
