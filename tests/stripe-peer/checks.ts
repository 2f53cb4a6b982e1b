import type { SessionAsked } from "./new-objects";
import { now, smallest } from "./objects";
import { badRequest } from "./refused";

/** What Stripe refuses of a page, beyond unknown parameters. */
export function assertOpens({ expiresAt, email }: SessionAsked): void {
  if (expiresAt < now() + 1_800 || expiresAt > now() + 86_400)
    throw badRequest(
      "The `expires_at` timestamp must be between 30 minutes and 24 hours from Checkout Session creation.",
    );
  // Stripe takes plain addresses only.
  if (email !== null && !/^[\x21-\x7e]+@[\x21-\x7e]+\.[\x21-\x7e]+$/.test(email))
    throw badRequest(`Invalid email address: ${email}`, "email_invalid");
}

/** `atLeast`: of an account that is paid out in another currency. */
export function assertLargeEnough(
  atLeast: number,
  amount: number | null,
  currency: string | null,
): void {
  const least = Math.max(atLeast, smallest[currency ?? ""] ?? 0);
  if (amount !== null && amount < least)
    throw badRequest(`Amount must be no less than ${least} ${currency}`, "amount_too_small");
}
