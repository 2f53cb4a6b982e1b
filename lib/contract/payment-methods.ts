import type { manualMethods } from "./values";

const gatewayMethods: Record<string, string> = {
  fpx: "FPX",
  dnqr: "DuitNow QR",
  duitnow_qr: "DuitNow QR",
  shopee_pay: "ShopeePay",
  razer_shopeepay: "ShopeePay",
  grabpay: "GrabPay",
  wechat_pay: "WeChat Pay",
  paynow: "PayNow",
  promptpay: "PromptPay",
  sepa_debit: "SEPA debit",
  ideal: "iDEAL",
  us_bank_account: "US bank account",
};

/** How a payment that was recorded by hand arrived, in words. */
export const manualMethodLabels: Record<(typeof manualMethods)[number], string> = {
  cash: "Cash",
  bank_transfer: "Bank transfer",
  other: "Another way",
};

/** "Cash, by hand": how money came past the gateways; null when a gateway took it. */
export const byHand = (method: (typeof manualMethods)[number] | null): string | null =>
  method && `${manualMethodLabels[method]}, by hand`;

/** "visa" as "Visa": a gateway's word for people. */
export const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

/** A gateway by the name that it writes itself: "CHIP", "Stripe". */
export const gatewayTitle = (name: string): string => (name === "chip" ? "CHIP" : capital(name));

/** What the gateway calls a way to pay, in words: "FPX", "Card". */
export const methodLabel = (type: string): string =>
  gatewayMethods[type] ?? capital(type.replaceAll("_", " "));

/** "Visa •••• 4242", or null without a saved card. */
export const cardLabel = (brand: string | null, last4: string | null): string | null =>
  brand && last4 ? `${capital(brand)} •••• ${last4}` : null;
