import type { PaymentLink } from "@/lib/contract/payment-links";

/** Whether the API would let staff change or delete a link now; what it refuses is not offered. */
export const changeable = ({ status, subscription_id }: PaymentLink): boolean =>
  subscription_id === null && status !== "Paid" && status !== "Processing";

export const cancellable = (link: PaymentLink): boolean =>
  changeable(link) && link.status === "Active";

/** Whether it takes money now, so that its payer can be asked for it. */
export const payable = ({ status, expires_at, test_clock_id }: PaymentLink): boolean =>
  status === "Active" &&
  // A test clock ends the link when it passes its expiry.
  (expires_at === null || test_clock_id !== null || Date.parse(expires_at) > Date.now());

/** Whether a payment can be recorded by hand, a subscription's period included. */
export const recordable = ({ status }: PaymentLink): boolean => status === "Active";

export const reopenable = ({ status, subscription_id }: PaymentLink): boolean =>
  subscription_id === null && status === "Cancelled";
