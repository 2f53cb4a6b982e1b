import type { SeenTokenization } from "@/lib/contract/tokenizations";

const meanings: Record<SeenTokenization["status"], string> = {
  pending: "The payer has not saved a payment method yet. Get the activation link to them.",
  active:
    "The payer has saved a payment method. You can charge it, and subscriptions to the same e-mail address use it.",
  revoked: "It was revoked. Nothing can be charged or saved with it any more.",
  expired: "The activation link expired before a payment method was saved. Issue a new token.",
};

/** What a token's state means and what to do, in plain words. */
export const meaningOf = ({ status }: SeenTokenization): string => meanings[status];

/** "Visa •••• 4242", or null while nothing is saved. */
export const methodOf = ({ payment_method: method }: SeenTokenization): string | null =>
  method && `${method.brand.charAt(0).toUpperCase()}${method.brand.slice(1)} •••• ${method.last4}`;

/** "Visa 4242": the saved method in a sentence. */
export const cardOf = ({ payment_method: method }: SeenTokenization): string =>
  method
    ? `${method.brand.charAt(0).toUpperCase()}${method.brand.slice(1)} ${method.last4}`
    : "the saved method";

/** Whether the API would still revoke it. */
export const revocable = ({ status }: SeenTokenization): boolean =>
  status === "pending" || status === "active";
