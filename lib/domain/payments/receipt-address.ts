import { createHmac, type KeyObject } from "node:crypto";
import type { Executor } from "@/db/client";
import { env } from "@/lib/env";
import { isSameSecret, isSignature } from "@/lib/kernel/secrets";
import { lastingKey } from "../audit/key";

/** Who gets an address: the payer by mail, or anyone who has the address of a payer's page. */
export type ReceiptReader = "payer" | "page";

const SIGNATURE_LENGTH = 24;
const readers: readonly ReceiptReader[] = ["payer", "page"];
const signed = (id: string, reader: ReceiptReader) => `${reader} ${id}`;

/** The key that signs addresses of receipts. Payers keep their mails, so it outlasts KUTIP_SECRET. */
export const receiptKey = (on: Executor): Promise<KeyObject> => lastingKey("receipt", on);

const signatureOf = (key: KeyObject, id: string, reader: ReceiptReader) =>
  createHmac("sha256", key)
    .update(signed(id, reader))
    .digest("base64url")
    .slice(0, SIGNATURE_LENGTH);

/** The address at which the receipt of a payment is downloaded without signing in. It cannot be guessed from the payment's id. */
export const receiptAddress = (key: KeyObject, id: string, reader: ReceiptReader): string =>
  `${env.BASE_URL}/receipt/${id}-${signatureOf(key, id, reader)}`;

/** The payment and the reader that an address was made for; undefined for one that was not made here. */
export function readReceiptAddress(
  key: KeyObject,
  name: string,
): { id: string; reader: ReceiptReader } | undefined {
  const [, id = "", given = ""] = /^([0-9a-f]{24})-([\w-]{24})$/.exec(name) ?? [];
  const reader = readers.find(
    (one) =>
      isSameSecret(given, signatureOf(key, id, one)) ||
      // Earlier addresses were signed with KUTIP_SECRET.
      isSignature(given, signed(id, one), "receipt", SIGNATURE_LENGTH),
  );
  return reader && { id, reader };
}
