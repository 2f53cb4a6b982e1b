import type { Mode } from "@/lib/contract/values";
import type { CheckedKey, Connection } from "../gateway";
import { strangeness } from "./answers";
import { call, unknown } from "./client";
import { fetchCompanyKey } from "./keys";
import { cancelPurchase } from "./purchases";
import { Id, Purchase } from "./shapes";

/** The form of CHIP's keys is not documented, and they do not name their mode: `checkKey` finds out. */
export const validateKey = (secret: string, _mode: Mode): string | null =>
  /^[\x21-\x7e]{16,}$/.test(secret) && !/^(sk|rk|pk)_(test|live)_/.test(secret)
    ? null
    : "The secret key format is invalid.";

const trial = (brand: string) => ({
  brand_id: brand,
  reference: "Kutip checks this key",
  creator_agent: "Kutip",
  platform: "api",
  send_receipt: false,
  client: { email: "check@example.com" },
  purchase: { currency: "MYR", products: [{ name: "Kutip checks this key", price: 100 }] },
});

/**
 * Asks CHIP whether a key and a brand belong together, and of which mode the key is. Only a purchase shows that, so one of MYR 1.00 is made and
 * cancelled at once; no payer gets its address.
 */
export async function checkKey(
  connection: Pick<Connection, "id" | "secret" | "mode" | "account">,
): Promise<CheckedKey> {
  const { account: brand, mode } = connection;
  if (!brand || !Id.safeParse(brand).success)
    return { kind: "refused", field: "account", reason: "The brand id is required." };
  const company = await fetchCompanyKey(connection);
  if (!company.ok) return refusedBy(company.trouble.kind, company.trouble.reason);
  const made = await call(
    connection,
    "checking a key with CHIP",
    { method: "POST", path: "/purchases/", body: trial(brand) },
    Purchase,
  );
  if (!made.ok) {
    const { kind, reason, fields } = made.trouble;
    return kind === "refused" && fields.includes("brand_id")
      ? { kind: "refused", field: "account", reason: `CHIP does not accept this brand: ${reason}` }
      : refusedBy(kind, reason);
  }
  await cancelPurchase(connection, made.value.id);
  const reason = strangeness({ mode, account: brand }, made.value);
  if (reason !== null) return { kind: "refused", reason };
  const { brand_name, legal_name } = made.value.issuer_details ?? {};
  return {
    kind: "accepted",
    account: made.value.brand_id,
    name: brand_name || legal_name || null,
    callbackSecret: company.value,
  };
}

function refusedBy(kind: string, reason: string): CheckedKey {
  if (kind === "silent") return unknown(reason);
  return {
    kind: "refused",
    reason: kind === "unauthorized" ? "CHIP does not accept this key." : reason,
  };
}
