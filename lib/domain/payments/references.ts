import type { ManualPaymentInput } from "@/lib/contract/payments";
import type { TokenChargeInput } from "@/lib/contract/tokenizations";
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

/** The references of a payment that its payer reads on the receipt. */
export const referencesOf = referencesBy(fields);
