import { basicSimulator } from "@/lib/gateways/simulator/basic";
import type * as registry from "@/lib/gateways/registry";

/** The registry with the gateway that has a small API, for a test file's mock. */
export const withBasicGateway = (real: typeof registry): typeof registry => ({
  ...real,
  gatewayFor: (name) => (name === basicSimulator.name ? basicSimulator : real.gatewayFor(name)),
});
