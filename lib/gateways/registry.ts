import { billplzGateway } from "./billplz/adapter";
import { chipGateway } from "./chip/adapter";
import type { Gateway, Money } from "./gateway";
import { chargeRefusal } from "./minimums";
import { measured } from "./measured";
import { simulatorGateway } from "./simulator/adapter";
import { stripeGateway } from "./stripe/adapter";

const gateways: ReadonlyMap<string, Gateway> = new Map(
  [simulatorGateway, stripeGateway, chipGateway, billplzGateway].map((gateway) => [
    gateway.name,
    measured(gateway),
  ]),
);

/** The adapter with the name that connections and callback addresses use; undefined when it does not exist. */
export function gatewayFor(name: string): Gateway | undefined {
  return gateways.get(name);
}

/** The names of the gateways that every business has in test mode. */
export const builtInGateways: readonly string[] = [...gateways.values()]
  .filter(({ builtIn }) => builtIn)
  .map(({ name }) => name);

export type LookUpLimit = { perMinute: number; byAddress: boolean };

/** How many payments of one connection the worker may look up within a minute, by the gateway's name; gateways without a limit are left out. */
export const lookUpLimits = (): Record<string, LookUpLimit> =>
  Object.fromEntries(
    gateways
      .values()
      .filter(({ lookUpsPerMinute }) => Number.isFinite(lookUpsPerMinute))
      .map(({ name, lookUpsPerMinute: perMinute, limitsByAddress: byAddress }) => [
        name,
        { perMinute, byAddress },
      ]),
  );

/** The names of the gateways that cannot charge this amount. */
export const gatewaysRefusing = (money: Money): string[] =>
  [...gateways.values()]
    .filter((gateway) => chargeRefusal(gateway, money) !== null)
    .map(({ name }) => name);
