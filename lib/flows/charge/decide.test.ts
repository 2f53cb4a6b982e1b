import { expect, test } from "vitest";
import type { FindAnswer } from "@/lib/gateways/gateway";
import { type ChargeableMethod, decide, type Facts, mayChargeAgain } from "./decide";

const fresh: Facts = { ageMinutes: 0, linkExpired: false };
const method = { methodId: "pm_1", payer: { email: "p@example.com", name: null, phone: null } };
type Given = Partial<Facts> & { method?: ChargeableMethod };
const none = { gatewayId: null };
const known = { gatewayId: "pi_1" };
const open: FindAnswer = { kind: "open", gatewayId: "cs_1", url: "https://gateway.test/1" };
const nothing: FindAnswer = { kind: "nothing" };
const unknown: FindAnswer = { kind: "unknown", reason: "no answer" };
const paid: FindAnswer = {
  kind: "succeeded",
  gatewayId: "pi_1",
  fee: 1,
  amount: 500,
  currency: "MYR",
};

test.each<[string, { gatewayId: string | null }, FindAnswer, Given, unknown]>([
  ["an open page stays open", none, open, { ageMinutes: 29.9 }, { kind: "settle", answer: open }],
  [
    "an open page is abandoned after 30 minutes",
    none,
    open,
    { ageMinutes: 30 },
    { kind: "abandon" },
  ],
  [
    "an open page is abandoned when its link expires",
    none,
    open,
    { linkExpired: true },
    { kind: "abandon" },
  ],
  [
    "absence proves nothing before 15 minutes",
    none,
    nothing,
    { ageMinutes: 14.9 },
    { kind: "settle", answer: nothing },
  ],
  [
    "an absent page is over after 15 minutes",
    none,
    nothing,
    { ageMinutes: 15 },
    { kind: "settle", answer: { kind: "cancelled", gatewayId: "" } },
  ],
  [
    "an absent charge is sent again",
    none,
    nothing,
    { ageMinutes: 14.9, method },
    { kind: "charge_again", method, absenceProven: false },
  ],
  [
    "an absent charge is sent again, and proven absent after 15 minutes",
    none,
    nothing,
    { ageMinutes: 15, method },
    { kind: "charge_again", method, absenceProven: true },
  ],
  [
    "a recent charge without an answer is sent again",
    none,
    unknown,
    { ageMinutes: 14.9, method },
    { kind: "charge_again", method, absenceProven: false },
  ],
  [
    "an old charge without an answer is not sent again",
    none,
    unknown,
    { ageMinutes: 15, method },
    { kind: "settle", answer: unknown },
  ],
  [
    "a charge that the gateway has an id for is not sent again",
    known,
    unknown,
    { method },
    { kind: "settle", answer: unknown },
  ],
  [
    "a page without an answer stays unknown",
    none,
    unknown,
    {},
    { kind: "settle", answer: unknown },
  ],
  [
    "an outcome is written, whatever else is known",
    known,
    paid,
    { ageMinutes: 99, linkExpired: true, method },
    { kind: "settle", answer: paid },
  ],
])("%s", (_promise, payment, found, { method: given = null, ...facts }, next) => {
  expect(decide(payment, found, { ...fresh, ...facts }, given)).toEqual(next);
});

test("the saved method is only asked for where the charge may be sent again", () => {
  expect([open, paid, nothing, unknown].map((found) => mayChargeAgain(none, found))).toEqual([
    false,
    false,
    true,
    true,
  ]);
  expect(mayChargeAgain(known, unknown)).toBe(false);
});
