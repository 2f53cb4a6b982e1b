import { connectable } from "@/lib/contract/gateway-connections";
import { stripeEvents } from "@/lib/contract/gateway-events";
import type { Mode } from "@/lib/contract/values";

export type ConnectableName = (typeof connectable)[number];

export type CallbackSecretWords = { label: string; hint: string; asked: "first" | "later" };

/** What the screen says of a gateway that can be connected. */
type GatewayWords = {
  /** Where its key is found there. */
  keyIn: string;
  keyHint: (mode: Mode) => string;
  /** The account that staff type, and where it is found there; null where the key names it. */
  account: { field: "brand_id" | "collection_id"; label: string; hint: string } | null;
  /** The secret that verifies callbacks, where staff type one. `asked`: with the key, since it exists before there is a callback address. */
  callbackSecret: CallbackSecretWords | null;
  afterConnect: string;
  /** How payers enter what they pay with. */
  page: string;
  callbacks: string;
  /** Where its people enter the callback address; null where they do not. */
  webhookIn: string | null;
  /** Null: all, or none to choose. */
  events: readonly string[] | null;
};

const words: Record<ConnectableName, GatewayWords> = {
  stripe: {
    keyIn: "Stripe’s Developers → API keys",
    keyHint: (mode) => `Begins with sk_${mode}_, or with rk_${mode}_ if it is a restricted one.`,
    account: null,
    callbackSecret: { label: "Signing secret", hint: "Begins with whsec_.", asked: "later" },
    afterConnect:
      "Kutip asked Stripe to call back. If the page still says “Not set up”, follow its three steps.",
    page: "Payers enter their card on Stripe’s own page; it never passes through Kutip.",
    callbacks:
      "How Stripe reports later changes: bank payments, and refunds and disputes made at Stripe.",
    webhookIn: "In Stripe, under Developers → Webhooks, add an endpoint with this address:",
    events: stripeEvents,
  },
  chip: {
    keyIn: "CHIP’s Developers → Keys",
    keyHint: (mode) =>
      `A key of ${mode} mode. CHIP’s keys do not show their mode, so Kutip makes a purchase of RM 1.00 with it and cancels it at once.`,
    account: { field: "brand_id", label: "Brand ID", hint: "From CHIP’s Developers → Brands." },
    callbackSecret: null,
    afterConnect: "CHIP’s key for callbacks was fetched.",
    page: "Payers choose FPX, DuitNow QR, a card or a wallet, and pay on CHIP’s own page.",
    callbacks:
      "CHIP reports payments without being set up. Add a webhook for refunds and chargebacks made at CHIP.",
    webhookIn: "In CHIP, under Developers → Webhooks, add a webhook with this address:",
    events: null,
  },
  billplz: {
    keyIn: "Billplz’s Settings → Keys & Integration",
    keyHint: (mode) =>
      mode === "test"
        ? "The API secret key of an account at billplz-sandbox.com."
        : "The API secret key of your account at billplz.com.",
    account: {
      field: "collection_id",
      label: "Collection ID",
      hint: "The collection that Kutip makes its bills in, from Billplz’s Billing page.",
    },
    callbackSecret: {
      label: "X Signature key",
      hint: "From the same page as the key. It proves that a callback comes from Billplz.",
      asked: "first",
    },
    afterConnect: "Billplz calls back for each payment without being set up.",
    page: "Payers choose FPX, a card or a wallet, and pay on Billplz’s own page.",
    callbacks:
      "How Billplz reports payments. Each bill names the address below, so there is nothing to enter at Billplz.",
    webhookIn: null,
    events: null,
  },
};

/** The words of a gateway; undefined for one that is not connected by staff, such as the simulator. */
export const wordsOf = (name: string): GatewayWords | undefined =>
  connectable.find((one) => one === name) && words[name as ConnectableName];

export const gatewayNames = connectable;
