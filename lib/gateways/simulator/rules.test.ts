import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { backOffMs, cardFor, feeFor, isOutcome, planCharge, planPress } from "./rules";
import { sign, verify } from "./signature";

test("the fee is 2 %, half a unit rounded up, and never more than the amount", () => {
  expect([0, 1, 24, 25, 74, 75, 1_000, 12_345, 3_000_000].map(feeFor)).toEqual([
    0, 0, 0, 1, 1, 2, 20, 247, 60_000,
  ]);
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 999_999_999 }),
      (amount) =>
        feeFor(amount) >= 0 && feeFor(amount) <= amount && Number.isSafeInteger(feeFor(amount)),
    ),
  );
});

test("a page's buttons are its own", () => {
  expect(isOutcome("pay", "lose_answer")).toBe(true);
  expect(isOutcome("save", "lose_answer")).toBe(false);
  expect(isOutcome("save", "approve_expires")).toBe(true);
  expect(isOutcome("pay", "approve_expires")).toBe(false);
});

test("declines are used up, then charges work", () => {
  const method = { behaviour: "declines" as const, lateMs: 0 };
  expect(planCharge({ ...method, declinesLeft: 1 })).toMatchObject({
    state: "failed",
    usesDecline: true,
    decline: { decline: "soft" },
  });
  expect(planCharge({ ...method, declinesLeft: 0 })).toMatchObject({
    state: "succeeded",
    usesDecline: false,
  });
});

test("a charge answers at once and sends its callback, unless its method is slow or never answers", () => {
  const plan = (behaviour: "works" | "late" | "never") =>
    planCharge({ behaviour, declinesLeft: 0, lateMs: 700 });
  expect(plan("works")).toMatchObject({ silent: false, answersAfterMs: 0 });
  expect(plan("late")).toMatchObject({ silent: false, answersAfterMs: 700 });
  expect(plan("never")).toMatchObject({ silent: true, answersAfterMs: Number.POSITIVE_INFINITY });
});

test("without a saved method a charge is declined for good", () => {
  expect(planCharge(undefined)).toMatchObject({ state: "failed", decline: { decline: "hard" } });
});

test("approving pays on one page and saves a method on the other", () => {
  const answered = { hiddenLooks: 0, silent: false };
  expect(planPress("pay", "approve", 3)).toEqual({ ...answered, state: "succeeded" });
  const saved = (behaviour: string, declinesLeft = 0) => ({
    ...answered,
    state: "saved",
    method: { behaviour, declinesLeft },
  });
  expect(planPress("save", "approve", 3)).toEqual(saved("works"));
  expect(planPress("save", "approve_declines", 3)).toEqual(saved("declines", 3));
  expect(planPress("save", "approve_expires", 3)).toEqual(saved("expires"));
});

test("a lost answer is a success that two look-ups do not show and no callback reports", () => {
  expect(planPress("pay", "lose_answer", 0)).toEqual({
    state: "succeeded",
    hiddenLooks: 2,
    silent: true,
  });
});

test("a card expires in four years, and this month when it is meant to expire", () => {
  const now = new Date("2026-03-15T00:00:00Z");
  expect(cardFor("works", now)).toEqual({ brand: "visa", last4: "4242", exp: "03/2030" });
  expect(cardFor("expires", now)).toEqual({ brand: "visa", last4: "0069", exp: "03/2026" });
});

test("tries of a callback come at growing distances, ten minutes at most", () => {
  expect([1, 2, 3, 4, 30].map(backOffMs)).toEqual([1_000, 2_000, 4_000, 8_000, 600_000]);
});

describe("signatures", () => {
  const now = 1_800_000_000_000;
  const raw = new TextEncoder().encode('{"id":"1"}');

  test("hold for five minutes either way, with the secret they were made with", () => {
    const header = sign("secret", raw, now);
    expect(header).toMatch(/^t=1800000000,v1=[0-9a-f]{64}$/);
    expect(
      [0, 299_000, -299_000, 301_000, -301_000].map((ms) =>
        verify("secret", raw, header, now + ms),
      ),
    ).toEqual([true, true, true, false, false]);
    expect(verify("other", raw, header, now)).toBe(false);
  });

  test("cover the time they name", () => {
    const moved = sign("secret", raw, now).replace("t=1800000000", "t=1800000001");
    expect(verify("secret", raw, moved, now)).toBe(false);
  });

  test("of any other shape are refused, not tripped over", () => {
    const good = sign("secret", raw, now);
    for (const header of [
      null,
      "",
      "t=,v1=",
      good.toUpperCase(),
      `${good},v1=0`,
      good.slice(0, -2),
      "t=1e9,v1=00",
      ` ${good}`,
    ]) {
      expect(verify("secret", raw, header, now)).toBe(false);
    }
    fc.assert(fc.property(fc.string(), (header) => !verify("secret", raw, header, now)));
  });
});
