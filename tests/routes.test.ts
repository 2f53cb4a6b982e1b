import { expect, test } from "vitest";
import { patternOf } from "@/scripts/routes-plugin.mjs";

test.each([
  ["app/api/payment-links/route.ts", "/api/payment-links"],
  [
    "app/api/payment-links/[payment_link_id]/cancel/route.ts",
    "/api/payment-links/[payment_link_id]/cancel",
  ],
  ["app/api/[...path]/route.ts", "/api/[...path]"],
  ["app/(payer)/pay/route.ts", "/pay"],
  ["app/(payer)/activate/[token]/route.ts", "/activate/[token]"],
  ["app/route.ts", "/"],
])("%s answers at %s", (file, pattern) => {
  expect(patternOf(file)).toBe(pattern);
});
