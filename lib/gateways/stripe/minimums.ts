/**
 * The smallest amounts that Stripe charges, in minor units. Stripe states them at https://docs.stripe.com/currencies#minimum-and-maximum-charge-amounts.
 * The figures were compared on 25 November 2026 with the copy of that table in github.com/mozilla/fxa
 * (libs/payments/stripe/src/lib/stripe.constants.ts), and THB with that in github.com/jeremie5/dataphyre (common/dataphyre/config/stripe.php).
 *
 * An account that is paid out in another currency has the minimum of that currency, at the day's rate. Stripe then answers `amount_too_small`.
 */
export const minimums: Readonly<Record<string, number>> = {
  AED: 200,
  AUD: 50,
  BRL: 50,
  CAD: 50,
  CHF: 50,
  CZK: 1_500,
  DKK: 250,
  EUR: 50,
  GBP: 30,
  HKD: 400,
  HUF: 17_500,
  INR: 50,
  JPY: 50,
  MXN: 1_000,
  MYR: 200,
  NOK: 300,
  NZD: 50,
  PLN: 200,
  RON: 200,
  SEK: 300,
  SGD: 50,
  THB: 1_000,
  USD: 50,
};
