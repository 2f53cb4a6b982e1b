import { expect, test } from "vitest";
import { connectable } from "./gateway-connections";
import { gatewayTitle, methodLabel } from "./payment-methods";
import { gatewayFor } from "../gateways/registry";

test.each([...connectable, "simulator"])(
  "%s is called on screens what its adapter calls it",
  (name) => {
    expect(gatewayTitle(name)).toBe(gatewayFor(name)?.title);
  },
);

test.each([
  ["dnqr", "DuitNow QR"],
  ["duitnow_qr", "DuitNow QR"],
  ["shopee_pay", "ShopeePay"],
  ["razer_shopeepay", "ShopeePay"],
])("CHIP's %s is called %s", (name, label) => {
  expect(methodLabel(name)).toBe(label);
});
