import type { PaymentLink } from "@/lib/contract/payment-links";
import { erasedEmail } from "@/lib/contract/values";

/** Whether the API would let staff change or delete a link now; what it refuses is not offered. */
export const changeable = ({ status, subscription_id }: PaymentLink): boolean =>
  subscription_id === null && status !== "Paid" && status !== "Processing";

export const cancellable = (link: PaymentLink): boolean =>
  changeable(link) && link.status === "Active";

/** Whether the link has a payer: one who was erased can be asked for nothing. */
export const hasPayer = ({ email }: PaymentLink): boolean => email !== erasedEmail;

/** Whether it takes money now. */
export const payable = ({ status, expires_at, test_clock_id }: PaymentLink): boolean =>
  status === "Active" &&
  // A test clock ends the link when it passes its expiry.
  (expires_at === null || test_clock_id !== null || Date.parse(expires_at) > Date.now());

/** Whether its payer can be asked for the money now. */
export const askable = (link: PaymentLink): boolean => payable(link) && hasPayer(link);

/** Whether a payment can be recorded by hand, a subscription's period included. */
export const recordable = ({ status }: PaymentLink): boolean => status === "Active";

export const reopenable = (link: PaymentLink): boolean =>
  link.subscription_id === null && link.status === "Cancelled" && hasPayer(link);
