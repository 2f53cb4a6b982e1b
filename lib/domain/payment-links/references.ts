import type { PaymentLinkInput } from "@/lib/contract/payment-links";
import { type References, referencesBy } from "../references";
import type { ShownLink } from "./rows";

const fields: References<keyof PaymentLinkInput, ShownLink> = {
  title: null,
  description: null,
  amount: null,
  currency: null,
  email: null,
  phone_no: null,
  reference: (link) => link.reference,
  reference_2: (link) => link.reference2,
  redirect_url: null,
  expires_at: null,
  due_at: null,
  reminders: null,
  send_email: null,
};

/** The references of a link that its payer reads before it is paid. Those of a payment are in `payments/references`. */
export const referencesOf = referencesBy(fields);
