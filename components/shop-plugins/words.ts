import type { Integration, IntegrationCallback } from "@/lib/contract/integrations";
import { type ShopPlugin, shopPlugins } from "@/lib/contract/values";

const names: Readonly<Record<ShopPlugin, string>> = {
  woocommerce: "WooCommerce (Swipe)",
  "gravity-forms": "Gravity Forms (Swipe)",
  givewp: "GiveWP (Swipe)",
  opencart: "OpenCart (Swipe)",
  "payje-woocommerce": "WooCommerce (Payje)",
  "payje-gravity-forms": "Gravity Forms (Payje)",
  other: "Another program",
};

export const pluginOptions = shopPlugins.map((value) => ({ value, label: names[value] }));

export const pluginName = ({ plugin }: Pick<Integration, "plugin">): string => names[plugin];

/** Whether its keys were replaced and its shop has not retrieved the new ones. */
export const lacksKeys = (plugin: Pick<Integration, "keys_replaced_at" | "keys_read_at">) =>
  plugin.keys_replaced_at !== null && plugin.keys_read_at === null;

/** What ends that. */
export const connectAgain =
  "The shop takes no new payments until you sign in there with the new password, press “Retrieve key” and save.";

/** The two constants of every plugin, as they are to be. */
export const constantsOf = (origin: string): string =>
  `const PRODUCTION_URL = '${origin}/api/v1/';\nconst SANDBOX_URL    = '${origin}/api/v1/';`;

const signIn =
  "Open the plugin’s settings and sign in. Any e-mail address works. The password is the one that was shown here once.";
const keys = "Choose your business, press “Retrieve key”, and save.";
const webhook =
  "Press “Set webhook”. The webhook is listed on this page afterwards. Without it your shop never learns of a payment.";

/** What to do in the shop once the constants are changed, step by step. */
export function stepsOf(plugin: ShopPlugin): readonly string[] {
  switch (plugin) {
    case "opencart":
      return [
        signIn,
        keys,
        "OpenCart needs no webhook: the payer's return completes the order. Anyone who knows that address can complete an order without paying, so compare the order with its payment before you ship.",
      ];
    case "givewp":
      return [
        signIn,
        keys,
        webhook,
        "GiveWP also trusts its return address. A donor who has seen one can publish a donation without paying, so compare donations with payments.",
      ];
    case "payje-woocommerce":
    case "payje-gravity-forms":
      return [
        signIn,
        keys,
        webhook,
        "The plugins of Payje stop 1 to 7 days after your last sign-in, payments and callbacks alike. Use the plugin named Swipe if you can.",
      ];
    case "other":
      return [
        "Send the password to POST auth/sign-in with any e-mail address, and read the keys from GET approved-businesses.",
        "Create payment links with the API key. Amounts are in major units.",
        "Answer a callback with a status from 200 to 299: it then counts as delivered.",
      ];
    default:
      return [signIn, keys, webhook];
  }
}

/** The shop's own words of the last attempt, or why there are none. */
export function shopWords({ history }: Pick<IntegrationCallback, "history">): string {
  const last = history.at(-1);
  if (!last) return "Not sent yet";
  return last.response ?? last.error ?? "An empty answer";
}
