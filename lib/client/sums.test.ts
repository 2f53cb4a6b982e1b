import { expect, test } from "vitest";
import { displaySums } from "./sums";

const myr = (amount: number) => ({ amount, currency: "MYR" });

test.each([
  [[myr(1250)], "MYR 12.50"],
  [[myr(1250), myr(250)], "MYR 15.00"],
  [
    [myr(1), { amount: 500, currency: "JPY" }, myr(2), { amount: 1, currency: "KWD" }],
    "MYR 0.03, JPY 500, and KWD 0.001",
  ],
])("amounts are added within their own currency (%#)", (amounts, sums) => {
  expect(displaySums(amounts)).toBe(sums);
});
