import type { Endpoint } from "./endpoint";
import * as events from "./events";
import * as packages from "./packages";
import * as paymentLinks from "./payment-links";
import * as payments from "./payments";
import * as subscriptions from "./subscriptions";
import * as tokenizations from "./tokenizations";

/** The one list of endpoints: feeds the OpenAPI document, the reference page and the generated tests. */
export const endpoints: readonly Endpoint[] = [paymentLinks, tokenizations, packages, subscriptions, payments, events].flatMap((noun) =>
  Object.values(noun).filter((value): value is Endpoint => typeof value === "object" && value !== null && "method" in value && "path" in value),
);
