import type { PaymentLinkInput } from "@/lib/contract/payment-links";
import { type FieldErrors, Problem } from "@/lib/kernel/problem";

/** What the reference, the 404 and the 422 say to those who point a shop plugin at `/api`. */
export const pluginSentence =
  "Shop plugins made for Swipe or Payje send amounts in major units and speak another interface: do not point them at /api. Connect the plugin in Settings → Shop plugins, and set both of its addresses to /api/v1/ on this server.";

/** 404 for a plugin's first calls. Plugins show the first text of the errors map, and only a general failure without one. */
export const pluginNotServed = () =>
  new Problem(404, "not_found", pluginSentence, { errors: { integration: [pluginSentence] } });

/** Whether a call under `/api` is one that only a plugin makes: its list of businesses. */
export const isPluginCall = (method: string, path: string): boolean =>
  method === "GET" && path === "/api/approved-businesses";

/** The header by which a client says that its amounts are in minor units, though it looks like a plugin. */
export const unitHeader = "kutip-amount-unit";

const pluginReferences = new Set(["woocommerce", "gravity-forms", "givewp", "opencart"]);

/**
 * Why the amount of a new link is refused: a plugin that takes `/api` for its own interface would charge a hundredth. Plugins are known by
 * the mark in `reference_2` together with the User-Agent of Guzzle, which all of them bring.
 */
export function pluginObjections(
  headers: Headers,
  { reference_2 }: Partial<PaymentLinkInput>,
): FieldErrors {
  const isPlugin =
    pluginReferences.has(reference_2 ?? "") &&
    (headers.get("user-agent") ?? "").startsWith("GuzzleHttp/");
  return isPlugin && headers.get(unitHeader)?.trim().toLowerCase() !== "minor"
    ? { amount: [pluginSentence] }
    : {};
}
