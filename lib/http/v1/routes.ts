import type { PaymentLink } from "@/lib/contract/payment-links";
import type { RouteHandler } from "../route-handler";
import {
  assertOwnPath,
  definePluginRoute,
  type PluginCall,
  type PluginRoute,
} from "./define-route";
import { presentPluginLink } from "./links";

type More = Pick<PluginRoute, "takesBody" | "money" | "versioned">;

/** A route below the hooks of the caller's integration. */
export const hookRoute = <T>(
  id: string,
  handler: (call: PluginCall) => Promise<T>,
  more: More = {},
): RouteHandler =>
  definePluginRoute(
    { ...more, id, subject: "webhook_event", credentials: ["token"] },
    async (call) => {
      assertOwnPath(call);
      return handler(call);
    },
  );

/** A route that returns a link, in major units. */
export const linkRoute = (
  id: string,
  handler: (call: PluginCall) => Promise<PaymentLink>,
  more: More = {},
): RouteHandler =>
  definePluginRoute(
    {
      ...more,
      id,
      subject: "payment_link",
      credentials: ["api_key", "token"],
      present: presentPluginLink,
    },
    handler,
  );
