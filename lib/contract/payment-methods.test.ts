import { expect, test } from "vitest";
import { connectable } from "./gateway-connections";
import { gatewayTitle } from "./payment-methods";
import { gatewayFor } from "../gateways/registry";

test.each([...connectable, "simulator"])(
  "%s is called on screens what its adapter calls it",
  (name) => {
    expect(gatewayTitle(name)).toBe(gatewayFor(name)?.title);
  },
);
