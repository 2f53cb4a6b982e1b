import { connectable } from "@/lib/contract/gateway-connections";
import { stripeEvents } from "@/lib/contract/gateway-events";
import type { Mode } from "@/lib/contract/values";

export type ConnectableName = (typeof connectable)[number];

/** What the screen says of a gateway that can be connected. */
type GatewayWords = {
  title: string;
  /** Where its key is found there. */
  keyIn: string;
  keyHint: (mode: Mode) => string;
  /** Where its brand id is found there; null where it has none. */
  brandHint: string | null;
  afterConnect: string;
  /** How payers enter what they pay with. */
  page: string;
  callbacks: string;
  /** Where its people enter the callback address. */
  webhookIn: string;
  /** Null: all. */
  events: readonly string[] | null;
};

const words: Record<ConnectableName, GatewayWords> = {
  stripe: {
    title: "Stripe",
    keyIn: "Stripe’s Developers → API keys",
    keyHint: (mode) => `Begins with sk_${mode}_, or with rk_${mode}_ if it is a restricted one.`,
    brandHint: null,
    afterConnect:
      "Kutip asked Stripe to call back. If the page still says “Not set up”, follow its three steps.",
    page: "Payers enter their card on Stripe’s own page; it never passes through Kutip.",
    callbacks:
      "How Stripe reports later changes: bank payments, and refunds and disputes made at Stripe.",
    webhookIn: "In Stripe, under Developers → Webhooks, add an endpoint with this address:",
    events: stripeEvents,
  },
  chip: {
    title: "CHIP",
    keyIn: "CHIP’s Developers → Keys",
    keyHint: (mode) =>
      `A key of ${mode} mode. CHIP’s keys do not show their mode, so Kutip makes a purchase of RM 1.00 with it and cancels it at once.`,
    brandHint: "From CHIP’s Developers → Brands.",
    afterConnect: "CHIP’s key for callbacks was fetched.",
    page: "Payers choose FPX, DuitNow QR, a card or a wallet, and pay on CHIP’s own page.",
    callbacks:
      "CHIP reports payments without being set up. Add a webhook for refunds and chargebacks made at CHIP.",
    webhookIn: "In CHIP, under Developers → Webhooks, add a webhook with this address:",
    events: null,
  },
};

/** The words of a gateway; undefined for one that is not connected by staff, such as the simulator. */
export const wordsOf = (name: string): GatewayWords | undefined =>
  connectable.find((one) => one === name) && words[name as ConnectableName];

export const gatewayNames = connectable;
export const titleOf = (name: string): string => wordsOf(name)?.title ?? name;
