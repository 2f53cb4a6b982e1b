import { expect, test } from "vitest";
import { linkStatuses, paymentStatuses, type PaymentStatus } from "@/lib/contract/values";
import {
  awaitsFee,
  countsAsPaid,
  declineOf,
  flagFor,
  hintOf,
  isBeingSent,
  isOver,
  isSetAside,
  isUnanswered,
  resolvableAt,
  linkStatusFor,
  maySendAgain,
  nextCheckSeconds,
  pageCheckSeconds,
} from "./rules";

const AT = "2026-01-01T00:00:00.000000Z";

test("only a failed or cancelled payment is over without money", () => {
  expect(paymentStatuses.filter(isOver)).toEqual(["failed", "cancelled"]);
});

test.each([
  [["amount_mismatch"], null, true],
  [["amount_mismatch", "resolved"], null, false],
  [["amount_mismatch"], AT, false],
  [[], null, false],
  [["resolved"], null, false],
] as const)(
  "with the flags %j and a success at %s it waits for a person: %s",
  (flags, succeededAt, waits) => {
    expect(isSetAside({ flags, succeededAt })).toBe(waits);
  },
);

/** Silence of so many hours; it was sent so many minutes ago. */
const silence = (status: PaymentStatus, hours: number | null, minutes: number) => ({
  status,
  startedAt: new Date(Date.parse(AT) - minutes * 60_000).toISOString(),
  unknownSince: hours === null ? null : new Date(Date.parse(AT) - hours * 3_600_000).toISOString(),
});

test.each([
  ["unknown", 24, 15, true],
  ["unknown", 23.99, 15, false],
  ["unknown", 23.99, 10_000, false],
  ["unknown", 48, 14.9, false],
  ["unknown", null, 24 * 60, true],
  ["unknown", null, 24 * 60 - 1, false],
  ["submitting", null, 10_000, false],
  ["pending", null, 10_000, false],
  ["failed", null, 10_000, false],
  ["succeeded", null, 10_000, false],
] as const)(
  "%s for %s hours, and sent %d minutes ago: staff may end it: %s",
  (status, hours, minutes, may) => {
    expect(isUnanswered(silence(status, hours, minutes), Date.parse(AT))).toBe(may);
  },
);

test.each([
  ["unknown", 3, 14],
  ["unknown", 48, 14],
  ["unknown", null, 14],
  ["pending", 48, 10_000],
] as const)(
  "%s for %s hours, and sent %d minutes ago: the moment that is named is the first at which staff may end it",
  (status, hours, minutes) => {
    const one = silence(status, hours, minutes);
    const from = resolvableAt(one);
    expect(from === null).toBe(status !== "unknown");
    if (from === null) return;
    expect([-1, 0].map((ms) => isUnanswered(one, Date.parse(from) + ms))).toEqual([false, true]);
  },
);

test.each([
  ["unknown", 23.7, 0, true],
  ["unknown", 23.75, 59.9, false],
  ["unknown", 48, 59.9, false],
  ["unknown", 48, 60, true],
  ["unknown", null, 10_000, true],
  ["pending", null, 0, true],
] as const)(
  "%s for %s hours, and sent %d minutes ago: it may be sent again: %s",
  (status, hours, minutes, may) => {
    expect(maySendAgain(silence(status, hours, minutes), Date.parse(AT))).toBe(may);
  },
);

test("what is sent just before staff may end it is not on its way any more by then", () => {
  for (let minutes = 0; minutes < 15; minutes++) {
    const one = silence("unknown", 24, minutes);
    expect(maySendAgain(one, Date.parse(one.startedAt)) && isUnanswered(one, Date.parse(AT))).toBe(
      false,
    );
  }
});

test.each([
  [[], AT, true],
  [["amount_mismatch"], AT, true],
  [["amount_mismatch", "resolved"], AT, true],
  [["late"], AT, false],
  [["amount_mismatch", "resolved", "duplicate"], AT, false],
  [[], null, false],
  [["amount_mismatch"], null, false],
] as const)(
  "with the flags %j and a success at %s its money pays what it was for: %s",
  (flags, succeededAt, pays) => {
    expect(countsAsPaid({ flags, succeededAt })).toBe(pays);
  },
);

test("a fee is awaited of a success that is still looked at, and of nothing else", () => {
  for (const succeededAt of [AT, null])
    for (const nextCheckAt of [AT, null])
      expect(awaitsFee({ succeededAt, nextCheckAt })).toBe(
        succeededAt !== null && nextCheckAt !== null,
      );
});

test.each([
  ["pending", null, [], null, true],
  ["pending", "pi_1", [], null, false],
  ["failed", "pi_1", [], null, true],
  ["cancelled", "pi_1", [], null, true],
  ["unknown", "pi_1", [], null, false],
  ["unknown", "pi_1", ["amount_mismatch"], null, true],
  ["succeeded", "pi_1", [], AT, false],
  ["succeeded", "pi_1", ["amount_mismatch"], AT, false],
] as const)(
  "a callback's id helps a %s payment with the id %s, the flags %j and a success at %s: %s",
  (status, gatewayId, flags, succeededAt, helps) => {
    const payment = { status, gatewayId, flags, succeededAt, startedAt: AT };
    expect(hintOf(payment, "pi_2")).toEqual({
      gatewayId,
      since: AT,
      ...(helps ? { fromCallback: "pi_2" } : {}),
    });
    expect(hintOf(payment)).toStrictEqual({ gatewayId, since: AT });
  },
);

test("an empty id is no id", () => {
  const payment = { status: "pending", gatewayId: "", startedAt: AT } as const;
  expect(hintOf({ ...payment, flags: [], succeededAt: null }).gatewayId).toBeNull();
});

test("the payer reads why the gateway declined, and never a reason that is for staff", () => {
  expect(declineOf({ gatewayId: "pi_1", message: "Too little money." })).toBe("Too little money.");
  expect(declineOf({ gatewayId: null, message: "The key is wrong." })).toBeNull();
});

test("looks become rarer, to one in ten minutes; an open page is looked at within three", () => {
  const checks = Array.from({ length: 12 }, (_, at) => at);
  expect(checks.map(nextCheckSeconds)).toEqual([2, 3, 5, 10, 20, 30, 60, 120, 300, 600, 600, 600]);
  expect(checks.slice(0, 4).map(pageCheckSeconds)).toEqual([60, 120, 180, 180]);
});

test("a link is processing while its payment has no outcome, and follows the outcome", () => {
  const after = (link: (typeof linkStatuses)[number], withdrawn = false) =>
    Object.fromEntries(paymentStatuses.map((one) => [one, linkStatusFor(one, link, withdrawn)]));
  const released = Object.fromEntries(paymentStatuses.map((one) => [one, "Active"]));
  const left = Object.fromEntries(paymentStatuses.map((one) => [one, undefined]));
  expect(after("Active")).toEqual({
    ...left,
    pending: "Processing",
    unknown: "Processing",
    succeeded: "Paid",
  });
  expect(after("Processing")).toEqual({
    ...released,
    pending: undefined,
    unknown: undefined,
    succeeded: "Paid",
  });
  for (const link of ["Paid", "Cancelled", "Expired"] as const) expect(after(link)).toEqual(left);
  const cancelled = Object.fromEntries(paymentStatuses.map((one) => [one, "Cancelled"]));
  expect(after("Processing", true)).toEqual({
    ...cancelled,
    pending: undefined,
    unknown: undefined,
    succeeded: "Paid",
  });
});

const asked = { amount: 1_250, currency: "MYR" };
const link = { status: "Active", deletedAt: null, ...asked } as const;

test("money for a paid link is a duplicate; for one that is deleted, cancelled or expired it is late", () => {
  const flags = Object.fromEntries(
    linkStatuses.map((status) => [status, flagFor({ ...link, status }, asked)]),
  );
  expect(flags).toEqual({
    Active: undefined,
    Processing: undefined,
    Paid: "duplicate",
    Cancelled: "late",
    Expired: "late",
  });
  expect(flagFor({ ...link, deletedAt: AT }, asked)).toBe("late");
  expect(flagFor({ ...link, status: "Paid", deletedAt: AT }, asked)).toBe("duplicate");
});

test.each([{ amount: 1_251 }, { amount: 1_249 }, { currency: "SGD" }])(
  "money for a link that asks for %j by now is late, unless that is paid already",
  (change) => {
    for (const status of ["Active", "Processing", "Cancelled", "Expired"] as const)
      expect(flagFor({ ...link, status, ...change }, asked)).toBe("late");
    expect(flagFor({ ...link, status: "Paid", ...change }, asked)).toBe("duplicate");
  },
);

test("an attempt is being sent while it has no outcome and a worker has it, and at no other time", () => {
  const claimed = { leasedBy: "worker", leasedUntil: AT };
  for (const status of paymentStatuses)
    expect(isBeingSent({ status, ...claimed })).toBe(status === "submitting");
  for (const missing of ["leasedBy", "leasedUntil"] as const)
    expect(isBeingSent({ status: "submitting", ...claimed, [missing]: null })).toBe(false);
});
