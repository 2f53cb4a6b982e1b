import { createSecretKey, hkdfSync, type KeyObject, randomBytes } from "node:crypto";
import { db, type Executor } from "@/db/client";
import { type Purpose, seal, unnamedKey, unseal } from "@/lib/kernel/secrets";
import { findSealedKey, hasChains, keepSealedKey } from "./rows";

/** The key of the audit chains. Before it was kept it was derived from the secret. */
export const chainKey = (sealed: string | null): Buffer =>
  sealed === null ? derived() : Buffer.from(unseal(sealed, "audit"), "base64url");

const derived = (): Buffer => unnamedKey().derive("audit").export();

/** Keeps the key of the audit chains, which outlasts the secret: the one that existing chains were made with, else a random one. */
export async function keepChainKey(): Promise<void> {
  if ((await findSealedKey(db)) !== null) return;
  const key = (await hasChains()) ? derived() : randomBytes(32);
  await keepSealedKey(seal(key.toString("base64url"), "audit"));
}

/** A key for another purpose, derived from that of the chains so that it outlasts the secret too. */
export async function lastingKey(purpose: Purpose, on: Executor): Promise<KeyObject> {
  const key = chainKey(await findSealedKey(on));
  return createSecretKey(Buffer.from(hkdfSync("sha256", key, "kutip", purpose, 32)));
}
