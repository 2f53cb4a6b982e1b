import { formValues } from "@/components/form/edits";
import { payerOf } from "@/components/record/use-chosen-customer";
import type { Customer } from "@/lib/contract/customers";
import { type PaymentLink, PaymentLinkInput } from "@/lib/contract/payment-links";

const past = (iso: string | null) => iso !== null && Date.parse(iso) <= Date.now();

/** What the form starts with for a new link, of a customer where one is given. */
export const blankLink = (
  currency: string,
  customer?: Pick<Customer, "email" | "phone_no">,
): Record<keyof PaymentLinkInput, string | boolean> => ({
  title: "",
  amount: "",
  currency,
  description: "",
  email: "",
  phone_no: "",
  send_email: true,
  reference: "",
  reference_2: "",
  expires_at: "",
  due_at: "",
  reminders: "",
  redirect_url: "",
  ...payerOf(customer),
});

/** A copy of a link: all but what made it that one. Nothing is mailed unless asked for, and references and a due date or expiry that has passed are not copied. */
export const copiedLink = (link: PaymentLink) => ({
  ...formValues(PaymentLinkInput, link),
  send_email: false,
  reference: "",
  reference_2: "",
  expires_at: past(link.expires_at) ? "" : (link.expires_at ?? ""),
  due_at: past(link.due_at) ? "" : (link.due_at ?? ""),
});
