import { globSync } from "node:fs";

// Support of the generated gateway tests, which run against every adapter.
const TEST_SUPPORT = /(^|-)contract(-\w+)?\.ts$|\/harness\.ts$/;

const patterns = [
  "lib/**/rules.ts",
  "lib/flows/**/*.ts",
  "lib/gateways/**/*.ts",
  // Statements that guard money: locks, claims, fences, keys, and what is booked.
  "lib/domain/payments/{settle,settlement,rows,equal-charges,resolve}.ts",
  "lib/domain/payments/refunds/{settle,rows}.ts",
  "lib/domain/tokenizations/{settle,rows}.ts",
  "lib/domain/ledger/posting-rows.ts",
  "lib/domain/payment-links/{rows,cancel,remove,update}.ts",
  "lib/domain/subscriptions/{periods,plan,period-rows,enqueue-rows,rows}.ts",
  "lib/domain/gateway-connections/{amounts,call}.ts",
  "lib/domain/idempotency/*.ts",
  "lib/jobs/{claim-rows,runner}.ts",
];

/** The files that are mutated, in order. */
export function filesInScope(root) {
  return [...new Set(patterns.flatMap((pattern) => globSync(pattern, { cwd: root })))]
    .map((file) => file.split("\\").join("/"))
    .filter((file) => !/\.test\.ts$/.test(file) && !TEST_SUPPORT.test(file.split("/").at(-1)))
    .sort();
}
