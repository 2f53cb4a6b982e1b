import { createHmac } from "node:crypto";
import type { Bill } from "./shop";

/** What an account's key signs: name and value of each field, sorted without regard to case. Written apart from the adapter's own. */
function sourceOf(fields: Record<string, string>): string {
  const elements = Object.keys(fields).map((name) => name + fields[name]);
  elements.sort((one, other) => {
    const [left, right] = [one.toLowerCase(), other.toLowerCase()];
    return Buffer.compare(Buffer.from(left), Buffer.from(right));
  });
  return elements.join("|");
}

export const signatureOf = (fields: Record<string, string>, key: string): string =>
  createHmac("sha256", key).update(sourceOf(fields)).digest("hex");

export const signedForm = (fields: Record<string, string>, key: string): string =>
  new URLSearchParams({ ...fields, x_signature: signatureOf(fields, key) }).toString();

/** The fields of a callback about a bill. */
export function callbackFields(bill: Bill): Record<string, string> {
  const { id, collection_id, state, due_at, name, url } = bill;
  return {
    id,
    collection_id,
    paid: String(bill.paid),
    state,
    amount: String(bill.amount),
    paid_amount: String(bill.paid_amount),
    due_at,
    email: bill.email ?? "",
    mobile: bill.mobile ?? "",
    name,
    url,
    ...(bill.paid_at === null ? {} : { paid_at: bill.paid_at }),
  };
}

/** The address that the payer's browser comes back to, with what Billplz appends. */
export function redirectOf(bill: Bill, key: string): string {
  const fields: Record<string, string> = {
    billplzid: bill.id,
    billplzpaid: String(bill.paid),
    ...(bill.paid_at === null ? {} : { billplzpaid_at: bill.paid_at }),
  };
  const address = new URL(bill.redirect_url ?? "http://localhost/");
  address.searchParams.set("billplz[id]", bill.id);
  address.searchParams.set("billplz[paid]", String(bill.paid));
  if (bill.paid_at !== null) address.searchParams.set("billplz[paid_at]", bill.paid_at);
  address.searchParams.set("billplz[x_signature]", signatureOf(fields, key));
  return address.href;
}
