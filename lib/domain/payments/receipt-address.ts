import { env } from "@/lib/env";
import { isSignature, signature } from "@/lib/kernel/secrets";

/** Who gets an address: the payer by mail, or anyone who has the address of a payer's page. */
export type ReceiptReader = "payer" | "page";

const SIGNATURE_LENGTH = 24;
const readers: readonly ReceiptReader[] = ["payer", "page"];
const signed = (id: string, reader: ReceiptReader) => `${reader} ${id}`;

/** The address at which the receipt of a payment is downloaded without signing in. It cannot be guessed from the payment's id. */
export const receiptAddress = (id: string, reader: ReceiptReader): string =>
  `${env.BASE_URL}/receipt/${id}-${signature(signed(id, reader), "receipt").slice(0, SIGNATURE_LENGTH)}`;

/** The payment and the reader that an address was made for; undefined for one that was not made here. */
export function readReceiptAddress(
  name: string,
): { id: string; reader: ReceiptReader } | undefined {
  const [, id = "", given = ""] = /^([0-9a-f]{24})-([\w-]{24})$/.exec(name) ?? [];
  const reader = readers.find((one) =>
    isSignature(given, signed(id, one), "receipt", SIGNATURE_LENGTH),
  );
  return reader && { id, reader };
}
