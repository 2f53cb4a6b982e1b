import type { Gateway, Money } from "./gateway";
import { simulatorGateway } from "./simulator/adapter";
import { stripeGateway } from "./stripe/adapter";

const gateways: ReadonlyMap<string, Gateway> = new Map(
  [simulatorGateway, stripeGateway].map((gateway) => [gateway.name, gateway]),
);

/** The adapter of that name, as connections and callback addresses carry it; undefined when there is none. */
export function gatewayFor(name: string): Gateway | undefined {
  return gateways.get(name);
}

/** Whether any gateway at all cannot take this amount. */
export const refusedBySome = (money: Money): boolean =>
  gateways.values().some((gateway) => gateway.refuses(money) !== null);
