import type { Subscription } from "@/lib/contract/subscriptions";

/** A subscription's own fields as their form holds them. */
export const subscriptionValues = ({ email, phone_no }: Subscription) => ({
  email,
  phone_no: phone_no ?? "",
});
