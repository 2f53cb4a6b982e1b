import type { ManualPaymentInput } from "@/lib/contract/payments";
import type { TokenChargeInput } from "@/lib/contract/tokenizations";
import { referencesOf as linkReferences } from "../payment-links/references";
import type { ShownLink } from "../payment-links/rows";
import { type References, referencesBy } from "../references";
import type { PaymentRow } from "./rows";

const fields: References<keyof TokenChargeInput | keyof ManualPaymentInput, PaymentRow> = {
  title: null,
  amount: null,
  currency: null,
  reference: (payment) => payment.reference,
  method: null,
  note: null,
  received_at: null,
  version: null,
};

const own = referencesBy(fields);

/**
 * The references that its payer reads with a payment, on pages, in mails and on the receipt. Those of its link only while the link is what was paid: a
 * link that was edited since may ask someone else for something else.
 */
export const referencesOf = (
  payment: PaymentRow,
  link: ShownLink | undefined,
): (string | null)[] =>
  link && link.version === payment.linkVersion ? linkReferences(link) : own(payment);
