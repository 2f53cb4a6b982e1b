import { createHmac, timingSafeEqual } from "node:crypto";
import { readForm } from "../form-body";
import type { Callback, CheckedKey, Connection, Gateway } from "../gateway";
import { simulatorGateway } from "./adapter";
import { cancelPrepared, charge, findPrepared, prepare } from "./prepared";

const toleranceSeconds = 300;

/** HMAC-SHA256 over `name=value` of every other field, sorted by name and joined by a pipe. */
function signatureOf(fields: ReadonlyMap<string, string>, secret: string): Buffer {
  const lines = [...fields]
    .filter(([name]) => name !== "signature")
    .map(([name, value]) => `${name}=${value}`)
    .sort();
  return createHmac("sha256", secret).update(lines.join("|")).digest();
}

/** The form with its time and signature. `now` in milliseconds. */
export function signForm(fields: ReadonlyMap<string, string>, secret: string, now: number): string {
  const signed = new Map(fields).set("sent_at", String(Math.floor(now / 1000)));
  signed.set("signature", signatureOf(signed, secret).toString("hex"));
  return new URLSearchParams([...signed]).toString();
}

const callbackSecretOf = (secret: string) =>
  createHmac("sha256", secret).update("callbacks").digest("hex");

async function verifyCallback(
  { callbackSecret }: Connection,
  raw: Uint8Array,
): Promise<Callback | null> {
  const fields = readForm(raw);
  if (!callbackSecret || !fields) return null;
  const given = Buffer.from(fields.get("signature") ?? "", "hex");
  const right = signatureOf(fields, callbackSecret);
  const age = Date.now() / 1000 - Number(fields.get("sent_at"));
  if (given.length !== right.length || !timingSafeEqual(given, right)) return null;
  if (!(Math.abs(age) <= toleranceSeconds)) return null;
  const [eventId = "", type = "", reference = ""] = ["id", "type", "reference"].map((name) =>
    fields.get(name),
  );
  if (eventId === "" || type === "" || reference === "") return null;
  return {
    eventId,
    type,
    about: type.startsWith("refund.") ? "refund" : "payment",
    reference,
  };
}

/**
 * The simulator as a gateway with a small API, for tests of what such gateways need. Callbacks are forms, wait for a fixed text and are signed
 * with a secret that the gateway issues. Charges are prepared and found by their id alone. Refunds are made by the gateway's staff.
 */
export const basicSimulator: Gateway = {
  ...simulatorGateway,
  name: "basic",
  title: "Basic",
  builtIn: false,
  checkKey: async ({ secret }): Promise<CheckedKey> =>
    secret.endsWith("revoked")
      ? { kind: "refused", reason: "The key is revoked." }
      : {
          kind: "accepted",
          account: secret.slice(0, 8),
          name: null,
          callbackSecret: callbackSecretOf(secret),
        },
  chargeIsIdempotent: false,
  provesAbsence: false,
  prepare,
  charge,
  cancel: async (connection, reference, hint) =>
    (await cancelPrepared(connection, reference, hint?.gatewayId ?? "")) ??
    simulatorGateway.cancel(connection, reference, hint),
  find: async (connection, reference, hint) => {
    for (const id of [hint?.gatewayId, hint?.fromCallback]) {
      const found = id ? await findPrepared(connection, reference, id) : undefined;
      if (found) return found;
    }
    return simulatorGateway.find(connection, reference, hint);
  },
  validateKey: (secret, mode) =>
    secret.startsWith("live") === (mode === "live") ? null : "The key is of the other mode.",
  refundSupport: async () => ({
    kind: "unsupported",
    reason:
      "Basic has no refunds in its API. Give the money back at Basic, then record the refund here.",
  }),
  refund: async () => ({ kind: "failed", reason: "Basic has no refunds in its API." }),
  findRefund: async () => ({ kind: "nothing" }),
  callbackReply: "OK",
  verifyCallback,
};
