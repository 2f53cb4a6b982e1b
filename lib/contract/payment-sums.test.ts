import { expect, test } from "vitest";
import { feesOf, netOf } from "./payment-sums";

const paid = {
  amount: 10_000,
  currency: "MYR",
  refunded_amount: 0,
  disputed_amount: 0,
  fee: null,
  fee_currency: null,
  dispute_fee: null,
  dispute_fee_currency: null,
};
const inRinggit = { fee: 200, fee_currency: "MYR" };
const inDollars = { fee: 45, fee_currency: "USD" };
const disputed = { dispute_fee: 1_500, dispute_fee_currency: "MYR" };

test.each([
  ["all of it where the provider states no fee", {}, 10_000, []],
  ["less the fee", inRinggit, 9_800, [{ amount: 200, currency: "MYR" }]],
  [
    "all of it where the fee is in another currency",
    inDollars,
    10_000,
    [{ amount: 45, currency: "USD" }],
  ],
  [
    "less refunds, disputes and what they cost",
    { ...inRinggit, ...disputed, refunded_amount: 3_000, disputed_amount: 7_000 },
    -1_700,
    [{ amount: 1_700, currency: "MYR" }],
  ],
  [
    "less the fees in its own currency alone",
    { ...inDollars, ...disputed },
    8_500,
    [
      { amount: 45, currency: "USD" },
      { amount: 1_500, currency: "MYR" },
    ],
  ],
  [
    "less no fee that came back",
    { ...inRinggit, ...disputed, dispute_fee: 0 },
    9_800,
    [{ amount: 200, currency: "MYR" }],
  ],
])("of a payment there is left: %s", (_, more, net, fees) => {
  const payment = { ...paid, ...more };
  expect(netOf(payment)).toBe(net);
  expect(feesOf(payment)).toEqual(fees);
});
