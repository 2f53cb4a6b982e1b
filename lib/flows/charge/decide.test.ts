import { describe, expect, test } from "vitest";
import type { FindAnswer } from "@/lib/gateways/gateway";
import { type ChargeableMethod, decide, type Facts, mayChargeAgain, type Traits } from "./decide";

const fresh: Facts = { ageMinutes: 0, maySend: true, linkEnded: false, isFromBackup: false };
const method = { methodId: "pm_1", payer: { email: "p@example.com", name: null, phone: null } };
const byKey: Traits = { chargeIsIdempotent: true, prepare: null, provesAbsence: true };
type Given = Partial<Facts> & { method?: ChargeableMethod };
const none = { gatewayId: null, tokenizationId: null };
const known = { gatewayId: "pi_1", tokenizationId: "t_1" };
const charge = { gatewayId: null, tokenizationId: "t_1" };
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

test.each<[string, Parameters<typeof decide>[0], FindAnswer, Given, unknown]>([
  ["an open page stays open", none, open, { ageMinutes: 29.9 }, { kind: "settle", answer: open }],
  [
    "an open page is abandoned after 30 minutes",
    none,
    open,
    { ageMinutes: 30 },
    { kind: "abandon" },
  ],
  [
    "an open page is abandoned when its link takes no money any more",
    none,
    open,
    { linkEnded: true },
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
    charge,
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
    "a page that was never answered holds its link for 30 minutes at most",
    none,
    unknown,
    { ageMinutes: 30 },
    { kind: "settle", answer: { kind: "cancelled", gatewayId: "" } },
  ],
  [
    "a page of a restored backup may have been answered, and stays unknown",
    none,
    unknown,
    { ageMinutes: 30, isFromBackup: true },
    { kind: "settle", answer: unknown },
  ],
  [
    "a page with an address stays unknown without an answer",
    { gatewayId: "cs_1", tokenizationId: null },
    unknown,
    { ageMinutes: 99 },
    { kind: "settle", answer: unknown },
  ],
  [
    "an old charge without an answer and without its method stays unknown",
    charge,
    unknown,
    { ageMinutes: 99 },
    { kind: "settle", answer: unknown },
  ],
  [
    "an outcome is written, whatever else is known",
    known,
    paid,
    { ageMinutes: 99, linkEnded: true, method },
    { kind: "settle", answer: paid },
  ],
])("%s", (_promise, payment, found, { method: given = null, ...facts }, next) => {
  expect(decide(payment, found, { ...fresh, ...facts }, given, byKey)).toEqual(next);
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

describe("a charge of which the gateway shows nothing", () => {
  const prepare = () => Promise.resolve({ kind: "unknown" as const, reason: "" });
  const again = { kind: "charge_again", method, absenceProven: false };
  const proven = { kind: "charge_again", method, absenceProven: true };
  const waits = { kind: "settle", answer: nothing };
  const stuck = { kind: "settle", answer: { kind: "unknown" } };
  const traits = (change: Partial<Traits>): Traits => ({
    chargeIsIdempotent: false,
    prepare: null,
    provesAbsence: false,
    ...change,
  });

  test.each<[string, Partial<Traits>, Partial<Facts>, typeof charge | typeof known, unknown]>([
    ["by key, at once", { chargeIsIdempotent: true }, {}, charge, again],
    ["by key, later", { chargeIsIdempotent: true }, { ageMinutes: 15 }, charge, stuck],
    ["proven, at once", { provesAbsence: true }, {}, charge, waits],
    ["proven, later", { provesAbsence: true }, { ageMinutes: 15 }, charge, proven],
    ["neither, at once", {}, {}, charge, waits],
    ["neither, later", {}, { ageMinutes: 15 }, charge, stuck],
    ["prepared without an id", { prepare }, {}, charge, again],
    ["prepared without an id, later", { prepare }, { ageMinutes: 99 }, charge, again],
    ["prepared, in a backup", { prepare }, { isFromBackup: true }, charge, waits],
    ["in a backup, later", { prepare }, { isFromBackup: true, ageMinutes: 15 }, charge, stuck],
    ["prepared with an id", { prepare }, {}, known, waits],
    ["prepared with an id, later", { prepare }, { ageMinutes: 15 }, known, stuck],
  ])(
    "is sent again only where no money can be taken twice: %s",
    (_kind, gateway, facts, row, next) => {
      expect(decide(row, nothing, { ...fresh, ...facts }, method, traits(gateway))).toMatchObject(
        next as object,
      );
    },
  );

  test("is not over in a restored backup, where a payer may have its page, unless the gateway proves absence", () => {
    const old = { ...fresh, ageMinutes: 99, isFromBackup: true };
    const over = { kind: "settle", answer: { kind: "cancelled" } };
    expect(decide(none, nothing, old, null, traits({}))).toMatchObject(stuck);
    expect(decide(none, nothing, old, null, traits({ prepare }))).toMatchObject(stuck);
    expect(decide(none, nothing, old, null, traits({ provesAbsence: true }))).toMatchObject(over);
  });

  test("is not over without proof when its method is gone, and a page without an answer is", () => {
    const old = { ...fresh, ageMinutes: 15 };
    expect(decide(charge, nothing, old, null, traits({}))).toMatchObject(stuck);
    const over = { kind: "settle", answer: { kind: "cancelled" } };
    expect(decide(none, nothing, old, null, traits({}))).toMatchObject(over);
    expect(decide(charge, nothing, old, null, traits({ prepare }))).toMatchObject(over);
  });

  test("and whose page a payer may have is over only where the gateway proves absence", () => {
    const page = { gatewayId: "pi_1", tokenizationId: null };
    const old = { ...fresh, ageMinutes: 15 };
    const over = { kind: "settle", answer: { kind: "cancelled", gatewayId: "pi_1" } };
    expect(decide(page, nothing, old, null, traits({ provesAbsence: true }))).toEqual(over);
    expect(decide(page, nothing, old, null, traits({}))).toMatchObject(stuck);
    expect(decide(page, nothing, old, null, traits({ prepare }))).toMatchObject(stuck);
    expect(decide(page, nothing, fresh, null, traits({}))).toEqual(waits);
  });

  test("and that is only prepared is charged, or cancelled without its method", () => {
    const prepared: FindAnswer = { kind: "prepared", gatewayId: "pi_1" };
    const old = { ...fresh, ageMinutes: 99, isFromBackup: true };
    expect(decide(known, prepared, old, method, traits({ prepare }))).toEqual(again);
    expect(decide(known, prepared, old, null, traits({ prepare }))).toEqual({ kind: "abandon" });
  });

  test("waits where it was sent too recently, and is cancelled all the same without its method", () => {
    const late = { ...fresh, maySend: false };
    const prepared: FindAnswer = { kind: "prepared", gatewayId: "pi_1" };
    expect(decide(known, prepared, late, method, traits({ prepare }))).toEqual(waits);
    expect(decide(known, prepared, late, null, traits({ prepare }))).toEqual({ kind: "abandon" });
    expect(decide(charge, nothing, late, method, traits({ chargeIsIdempotent: true }))).toEqual(
      waits,
    );
    expect(decide(charge, paid, late, method, byKey)).toEqual({ kind: "settle", answer: paid });
  });

  test("and whose look-up has no answer is sent again by key only", () => {
    expect(decide(charge, unknown, fresh, method, traits({ prepare }))).toMatchObject(stuck);
    expect(decide(charge, unknown, fresh, method, traits({}))).toMatchObject(stuck);
  });
});
