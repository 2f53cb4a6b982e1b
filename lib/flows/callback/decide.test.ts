import { expect, test } from "vitest";
import type { Movement } from "@/lib/gateways/gateway";
import {
  decideReturns,
  decideStored,
  decideUnclear,
  decideUnmatched,
  isAboutReturns,
  mayHaveSetAside,
  namesOurs,
  otherMoneyIn,
  strangerIn,
  unseenOf,
} from "./decide";

const createdAt = "2026-01-01T00:00:00.000000Z";
const id = "0123456789abcdef01234567";
const after = (minutes: number) => Date.parse(createdAt) + minutes * 60_000;
const payment = {
  id: "p1",
  amount: 1_000,
  currency: "MYR",
  flags: [],
  resolvedAt: null,
  succeededAt: null,
  testClockId: null,
};
const shown = { dispute: null, movements: [] };

test("a callback of another mode or account is not about this connection", () => {
  const claims = { mode: "live", account: "acct_1", money: null } as const;
  expect(strangerIn({ claims }, { mode: "live", account: "acct_1" })).toBeNull();
  expect(strangerIn({ claims }, { mode: "test", account: "acct_1" })).toMatch("mode");
  expect(strangerIn({ claims }, { mode: "live", account: "acct_2" })).toMatch("acct_1");
  expect(strangerIn({}, { mode: "live", account: "acct_2" })).toBeNull();
});

test("a callback of another account is set aside only where it names a record of ours", () => {
  const claims = { mode: "live", account: "acct_1", money: null } as const;
  const stored = (mode: "live" | "test", account: string, isOurs: boolean) =>
    decideStored({ claims }, { mode, account }, isOurs).state;
  expect(stored("live", "acct_1", false)).toBe("new");
  expect(stored("live", "acct_2", true)).toBe("quarantined");
  expect(stored("live", "acct_2", false)).toBe("unmatched");
  expect(stored("test", "acct_2", false)).toBe("quarantined");
  expect(stored("test", "acct_1", false)).toBe("quarantined");
  expect(decideStored({ claims }, { mode: "live", account: "acct_2" }, false).problem).toBeNull();
});

test("another amount or currency than was asked is a problem", () => {
  const said = (amount: number | null, currency: string | null) =>
    otherMoneyIn({ amount, currency, createdAt }, payment);
  expect(said(1_000, "MYR")).toBeNull();
  expect(said(null, null)).toBeNull();
  expect(said(999, "MYR")).toMatch("MYR 9.99");
  expect(said(1_000, "SGD")).toMatch("SGD 10.00");
});

const [before, later] = ["2025-12-31T23:59:59.000000Z", "2026-01-01T00:00:01.000000Z"];
const resolved = { flags: ["amount_mismatch", "resolved"], resolvedAt: later };
test.each([
  ["was resolved since", resolved, true],
  ["was resolved before", { ...resolved, resolvedAt: before }, false],
  ["came since staff had resolved it", { ...resolved, flags: ["amount_mismatch"] }, false],
  ["was never shown by the gateway", { ...resolved, flags: ["resolved"] }, false],
  ["was followed by the right amount", { flags: ["amount_mismatch"], succeededAt: later }, true],
  ["came after the right amount", { flags: ["amount_mismatch"], succeededAt: before }, false],
  [
    "has no real moment of success",
    { flags: ["amount_mismatch"], succeededAt: later, testClockId: "clock" },
    false,
  ],
])("a reported mismatch that %s: %j is over: %s", (_what, facts, isOver) => {
  const row = { amount: 999, currency: "MYR", createdAt };
  expect(otherMoneyIn(row, { ...payment, ...facts }) === null).toBe(isOver);
});

test("another callback may be set aside of a payment that comes after all, has a mismatch or was refunded", () => {
  const paid = { about: "payment", amount: 1_000 } as const;
  const declined = { about: "payment", amount: null } as const;
  const refunded = { about: "refund", amount: null } as const;
  const failed = { status: "failed", flags: [] } as const;
  const pending = { status: "pending", flags: [] } as const;
  const may = (
    row: typeof paid | typeof declined | typeof refunded,
    of: { status: "failed" | "pending"; flags: readonly string[] },
  ) => mayHaveSetAside(row, { ...of, flags: [...of.flags] });
  expect([may(paid, pending), may(declined, failed)]).toEqual([false, false]);
  expect([may(refunded, pending), may(paid, failed)]).toEqual([true, true]);
  expect(may(declined, { ...pending, flags: ["amount_mismatch"] })).toBe(true);
});

test("a callback without a payment is tried again for 15 minutes", () => {
  const retry = (reference: string, now: number) =>
    decideUnmatched({ createdAt, reference }, now).retrySeconds;
  for (const reference of ["", id, `tok_${id}_1`]) {
    expect(retry(reference, after(15))).toBe(30);
    expect(retry(reference, after(15) + 1)).toBeNull();
  }
});

test.each(["137", "ORDER-17", `${id}0`, `tok_${id}`, "pi_1"])(
  "a callback that another program has named %s is not tried again",
  (reference) => {
    expect(namesOurs({ reference })).toBe(false);
    expect(decideUnmatched({ createdAt, reference }, after(0)).retrySeconds).toBeNull();
  },
);

test("a name of ours has the form of a payment's or an activation's", () => {
  expect(["", id, `tok_${id}_1`].map((reference) => namesOurs({ reference }))).toEqual([
    false,
    true,
    true,
  ]);
});

test("refunds that the gateway does not tell apart are asked for again for 15 minutes, then staff read why", () => {
  expect(decideUnclear({ createdAt }, "Why", after(15))).toEqual({ kind: "wait" });
  expect(decideUnclear({ createdAt }, "Why", after(15.1))).toEqual({
    kind: "problem",
    problem: "Why",
  });
});

test("money that the gateway does not show is awaited for 15 minutes, then a problem", () => {
  const row = { disputeChange: "withdrawn", createdAt } as const;
  const synced = { found: shown, problems: [] };
  expect(decideReturns(row, payment, synced, after(15)).kind).toBe("wait");
  expect(decideReturns(row, payment, synced, after(15.1)).kind).toBe("problem");
  expect(decideReturns({ ...row, disputeChange: null }, payment, synced, after(0))).toEqual({
    kind: "fits",
  });
});

test("what could not be booked is a problem at once, and so is a payment that never took money", () => {
  const row = { disputeChange: "withdrawn", createdAt } as const;
  expect(
    decideReturns(row, payment, { found: shown, problems: ["One.", "Two."] }, after(0)),
  ).toEqual({ kind: "problem", problem: "One. Two." });
  expect(decideReturns(row, payment, null, after(0)).kind).toBe("problem");
});

test("one thing that could not be booked is enough for a problem", () => {
  const row = { disputeChange: null, createdAt } as const;
  expect(decideReturns(row, payment, { found: shown, problems: ["One."] }, after(0))).toEqual({
    kind: "problem",
    problem: "One.",
  });
});

test("only refunds and disputes are looked up beside the payment", () => {
  const subjects = ["payment", "refund", "dispute", "nothing"] as const;
  expect(subjects.filter((about) => isAboutReturns({ about }))).toEqual(["refund", "dispute"]);
});

const moved = (amount: number | null): Movement => ({
  id: "m1",
  money: amount === null ? null : { amount, currency: "MYR" },
  fee: null,
  stated: "something",
});

test.each([
  ["withdrawn", [moved(5)], true],
  ["withdrawn", [moved(null)], true],
  ["withdrawn", [moved(-5)], false],
  ["withdrawn", [], false],
  ["reinstated", [moved(5), moved(-5)], true],
  ["reinstated", [moved(null)], true],
  ["reinstated", [moved(5)], false],
  ["reinstated", [], false],
] as const)("money that is %s is seen among the movements %j: %s", (change, movements, seen) => {
  expect(unseenOf(change, { dispute: null, movements: [...movements] }) === null).toBe(seen);
});

test("the end of a dispute is seen unless the gateway shows none that is over", () => {
  const dispute = (status: "open" | "won") => ({ id: "d1", status, reason: "fraud" }) as const;
  expect(unseenOf("closed", { ...shown, dispute: dispute("open") })).toMatch("is open");
  expect(unseenOf("closed", { ...shown, dispute: dispute("won") })).toBeNull();
  const second = { ...dispute("open"), anotherIsOver: true };
  expect(unseenOf("closed", { ...shown, dispute: second })).toBeNull();
  expect(unseenOf("closed", shown)).toBeNull();
  expect(unseenOf(null, { ...shown, dispute: dispute("open") })).toBeNull();
});
