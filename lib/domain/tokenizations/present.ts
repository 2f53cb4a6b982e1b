import type { Mode } from "@/lib/contract/values";
import type { SeenTokenization, Tokenization } from "@/lib/contract/tokenizations";
import { env } from "@/lib/env";
import { log } from "@/lib/kernel/log";
import { unseal } from "@/lib/kernel/secrets";
import type { Ctx } from "../context";
import type { TokenizationRow } from "./rows";

/** The payer's address of a token; `test=true` exactly in test mode. */
export function activationUrl(token: string, mode: Mode): string {
  return `${env.BASE_URL}/activate/${token}${mode === "test" ? "?test=true" : ""}`;
}

/** What events carry: the record without the secret and the address that holds it. */
export function presentForEvent(
  row: TokenizationRow,
): Omit<Tokenization, "token" | "activation_url"> {
  const { brand, last4, exp } = row;
  return {
    _id: row.id,
    email: row.email,
    phone_no: row.phoneNo,
    redirect_url: row.redirectUrl,
    title: row.title,
    description: row.description,
    status: row.status,
    payment_method: brand !== null && last4 !== null && exp !== null ? { brand, last4, exp } : null,
    business_id: row.businessId,
    expires_at: row.expiresAt,
    activated_at: row.activatedAt,
    created_at: row.createdAt,
    updated_at: row.updatedAt,
  };
}

/** A record as the API answers those who may act on it, its token opened. */
export function presentTokenization(row: TokenizationRow): Tokenization {
  const token = unseal(row.token, "tokenization");
  return { ...presentForEvent(row), token, activation_url: activationUrl(token, row.mode) };
}

/** A record as reads answer it: viewers get neither the token nor the address that holds it. */
export function presentFor({ role }: Ctx, row: TokenizationRow): SeenTokenization {
  const withoutToken = { ...presentForEvent(row), token: null, activation_url: null };
  if (role === "viewer") return withoutToken;
  try {
    return presentTokenization(row);
  } catch (error) {
    // One record that was sealed under another secret must not fail a list of good ones.
    log.error({ err: error, tokenization: row.id }, "a token cannot be opened");
    return withoutToken;
  }
}
