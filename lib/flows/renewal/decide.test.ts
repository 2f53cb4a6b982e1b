import { describe, expect, test } from "vitest";
import type { FindAnswer } from "@/lib/gateways/gateway";
import {
  type ChargeDecision,
  type ChargeFacts,
  type Decision,
  decide,
  decideCharge,
  decideFailure,
  decideFollowing,
  type Facts,
  type FailureFacts,
} from "./decide";

const now = "2026-03-10T00:00:00.000000Z";
const earlier = "2026-03-09T00:00:00.000000Z";
const later = "2026-03-11T00:00:00.000000Z";

const due = { state: "due", paymentId: null, retryAt: null, overdueAt: null } as const;
const open = { ...due, state: "open" } as const;
const charging = { ...due, state: "charging", paymentId: "own" } as const;
const attempt = (status: Facts["attempts"][number]["status"], id = "own") => ({
  id,
  status,
  decline: null,
  succeededAt: status === "succeeded" ? earlier : null,
  flags: [],
});

describe("the next thing to do about a period", () => {
  test.each<[string, Partial<Facts>, Decision]>([
    ["a paid period is over", { period: { ...due, state: "paid" } }, { kind: "over" }],
    ["a void period is over", { period: { ...due, state: "void" } }, { kind: "over" }],
    [
      "a cancelled subscription ends its periods, paid ones too",
      { subscription: { status: "cancel", deletedAt: null }, linkPaid: true },
      { kind: "end" },
    ],
    [
      "a deleted subscription ends its periods",
      { subscription: { status: "active", deletedAt: earlier } },
      { kind: "end" },
    ],
    [
      "money settles the period, whatever else is under way",
      { period: charging, attempts: [attempt("pending", "other"), attempt("succeeded")] },
      { kind: "settle", paidBy: ["own"] },
    ],
    [
      "each payment that came for the period is named",
      { period: open, attempts: [attempt("succeeded", "one"), attempt("succeeded", "two")] },
      { kind: "settle", paidBy: ["one", "two"] },
    ],
    [
      "a refunded payment has settled the period all the same",
      { period: open, attempts: [{ ...attempt("refunded"), succeededAt: earlier }] },
      { kind: "settle", paidBy: ["own"] },
    ],
    [
      "a planned charge gives way to a payment that staff resolved, and the method is not charged",
      {
        period: { ...open, paymentId: "own", retryAt: earlier },
        attempts: [attempt("failed"), { ...attempt("failed", "other"), flags: ["resolved"] }],
        resolvedId: "other",
      },
      { kind: "record_resolved", paymentId: "other" },
    ],
    [
      "without a planned charge a resolved payment changes nothing",
      {
        period: open,
        attempts: [{ ...attempt("failed", "other"), flags: ["resolved"] }],
        resolvedId: "other",
      },
      { kind: "wait" },
    ],
    [
      "money of another amount that waits for a person is awaited, also of an ended attempt",
      {
        period: { ...open, retryAt: earlier },
        attempts: [{ ...attempt("cancelled", "other"), flags: ["amount_mismatch"] }],
      },
      { kind: "await_attempt", paymentId: "other" },
    ],
    [
      "a cancelled charge that staff resolved is not made anew",
      {
        period: charging,
        attempts: [{ ...attempt("cancelled"), flags: ["amount_mismatch", "resolved"] }],
      },
      { kind: "record_failure", hard: true },
    ],
    [
      "a failure that is recorded already is not recorded again, and the retry is awaited",
      {
        period: { ...open, paymentId: "own", retryAt: later },
        attempts: [attempt("failed")],
      },
      { kind: "wait" },
    ],
    [
      "a paid link settles the period",
      { period: open, linkPaid: true },
      { kind: "settle", paidBy: [] },
    ],
    ...["late", "duplicate"].map((flag): [string, Partial<Facts>, Decision] => [
      `money that is ${flag} does not settle the period`,
      { period: open, attempts: [{ ...attempt("succeeded"), flags: [flag] }] },
      { kind: "wait" },
    ]),
    [
      "the right amount settles the period, also after another one was reported",
      {
        period: charging,
        attempts: [{ ...attempt("succeeded"), flags: ["amount_mismatch", "resolved"] }],
      },
      { kind: "settle", paidBy: ["own"] },
    ],
    [
      "an amount that was not asked for is no payment of the period",
      { period: charging, attempts: [{ ...attempt("unknown"), flags: ["amount_mismatch"] }] },
      { kind: "await_attempt", paymentId: "own" },
    ],
    ...(["submitting", "requires_action", "pending", "unknown"] as const).map(
      (status): [string, Partial<Facts>, Decision] => [
        `an attempt that is ${status} is awaited, also when a retry is due`,
        { period: { ...open, retryAt: earlier }, attempts: [attempt(status, "live")] },
        { kind: "await_attempt", paymentId: "live" },
      ],
    ),
    [
      "a failed charge is recorded",
      { period: charging, attempts: [{ ...attempt("failed"), decline: "soft" }] },
      { kind: "record_failure", hard: false },
    ],
    [
      "a hard decline is recorded as one",
      { period: charging, attempts: [{ ...attempt("failed"), decline: "hard" }] },
      { kind: "record_failure", hard: true },
    ],
    [
      "a payer's failed attempt on the link is no failed charge",
      { period: open, attempts: [attempt("failed", "other")] },
      { kind: "wait" },
    ],
    [
      "a charge that was cancelled before the gateway had it is made anew",
      { period: charging, attempts: [attempt("cancelled")] },
      { kind: "charge" },
    ],
    ["a period that has started is charged", {}, { kind: "charge" }],
    [
      "a retry is due from its moment on",
      { period: { ...open, retryAt: now } },
      { kind: "charge" },
    ],
    ["a retry is not due before", { period: { ...open, retryAt: later } }, { kind: "wait" }],
    [
      "a charge is left to the next run when this one may not charge",
      { mayCharge: false },
      { kind: "charge_next_run" },
    ],
    [
      "an open period without a date to come waits for its link",
      { period: open },
      { kind: "wait" },
    ],
    [
      "an unpaid link is not overdue before its date",
      { period: { ...open, overdueAt: later } },
      { kind: "wait" },
    ],
    ...(["active", "created"] as const).map((status): [string, Partial<Facts>, Decision] => [
      `an unpaid link makes an ${status} subscription past due`,
      { subscription: { status, deletedAt: null }, period: { ...open, overdueAt: now } },
      { kind: "overdue", pastDue: true },
    ]),
    ...(["past_due", "halted"] as const).map((status): [string, Partial<Facts>, Decision] => [
      `an unpaid link leaves a ${status} subscription as it is`,
      { subscription: { status, deletedAt: null }, period: { ...open, overdueAt: earlier } },
      { kind: "overdue", pastDue: false },
    ]),
  ])("%s", (_promise, facts, decision) => {
    expect(
      decide({
        now,
        subscription: { status: "active", deletedAt: null },
        period: due,
        linkPaid: false,
        attempts: [],
        resolvedId: null,
        mayCharge: true,
        ...facts,
      }),
    ).toEqual(decision);
  });
});

const money = { gatewayId: "pi_1", fee: 1, amount: 500, currency: "MYR" };
const paid: FindAnswer = { kind: "succeeded", ...money };
const declined: FindAnswer = { kind: "failed", gatewayId: "pi_1", decline: "soft", reason: "no" };
const pending: FindAnswer = { kind: "pending", gatewayId: "pi_1" };

describe("how a period is charged", () => {
  test.each<[string, Partial<ChargeFacts>, ChargeDecision]>([
    ["the saved method is charged", {}, { kind: "send" }],
    [
      "the gateway is asked first when the charge may be older than the restored backup",
      { mayExist: true },
      { kind: "look_up" },
    ],
    [
      "a charge that the gateway does not have is sent",
      { mayExist: true, found: { kind: "nothing" } },
      { kind: "send" },
    ],
    [
      "a charge that the gateway cannot prove absent is not sent, and the payer is asked",
      { mayExist: true, found: { kind: "nothing" }, provesAbsence: false },
      { kind: "ask_payer" },
    ],
    [
      "a charge that was cancelled there is sent",
      { mayExist: true, found: { kind: "cancelled", gatewayId: "pi_1" } },
      { kind: "send" },
    ],
    ...[paid, pending, declined].map((found): [string, Partial<ChargeFacts>, ChargeDecision] => [
      `a charge that ${found.kind} there is written down and not sent`,
      { mayExist: true, found },
      { kind: "adopt", answer: found as never },
    ]),
    [
      "without an answer nothing is charged",
      { mayExist: true, found: { kind: "unknown", reason: "timeout" } },
      { kind: "try_later" },
    ],
    ["a first charge without a method asks the payer", { method: "none" }, { kind: "ask_payer" }],
    [
      "a charge that was cancelled, and has no method any more, asks the payer",
      { method: "none", state: "charging" },
      { kind: "ask_payer" },
    ],
    [
      "a retry without a method is a failure",
      { method: "none", state: "open" },
      { kind: "record_failure" },
    ],
    [
      "a gateway account that is disconnected is no decline",
      { method: "disconnected", state: "open" },
      { kind: "try_later" },
    ],
  ])("%s", (_promise, facts, decision) => {
    expect(
      decideCharge({
        state: "due",
        method: "usable",
        mayExist: false,
        found: undefined,
        provesAbsence: true,
        ...facts,
      }),
    ).toEqual(decision);
  });
});

test.each<[string, Parameters<typeof decideFollowing>[0], ReturnType<typeof decideFollowing>]>([
  [
    "a failure since the last restore counts",
    { mayExist: false, found: undefined },
    { kind: "record_failure" },
  ],
  [
    "a failure from before the restore counts only after the gateway was asked for the next attempt",
    { mayExist: true, found: undefined },
    { kind: "look_up" },
  ],
  ...[paid, pending, declined].map(
    (found) =>
      [
        `a next attempt that ${found.kind} is written down`,
        { mayExist: true, found },
        { kind: "adopt", answer: found as never },
      ] as [string, Parameters<typeof decideFollowing>[0], ReturnType<typeof decideFollowing>],
  ),
  ...(["nothing", "cancelled"] as const).map(
    (kind) =>
      [
        `the failure counts when of the next attempt there is "${kind}"`,
        {
          mayExist: true,
          found: kind === "nothing" ? { kind } : { kind, gatewayId: "pi_2" },
        },
        { kind: "record_failure" },
      ] as [string, Parameters<typeof decideFollowing>[0], ReturnType<typeof decideFollowing>],
  ),
  [
    "without an answer about the next attempt nothing is recorded",
    { mayExist: true, found: { kind: "unknown", reason: "timeout" } },
    { kind: "try_later" },
  ],
])("%s", (_promise, facts, decision) => {
  expect(decideFollowing(facts)).toEqual(decision);
});

describe("what follows a failed charge", () => {
  const facts: FailureFacts = {
    now,
    status: "active",
    firstFailedAt: now,
    retryDays: [1, 3],
    hard: false,
    method: "kept",
  };
  const again = { event: "subscription.payment_due", mail: "payment_failed" };
  const halted = { event: "subscription.halted", mail: "subscription_halted" };

  test.each<[string, Partial<FailureFacts>, unknown]>([
    [
      "the first failure makes the subscription past due until the first retry",
      {},
      { kind: "retry", at: later, notice: { ...again, event: "subscription.past_due" } },
    ],
    [
      "a later failure asks for the payment again",
      { status: "past_due", firstFailedAt: "2026-03-08T00:00:00.000000Z" },
      { kind: "retry", at: later, notice: again },
    ],
    [
      "the failure of the last retry halts",
      { status: "past_due", firstFailedAt: "2026-03-01T00:00:00.000000Z" },
      { kind: "halt", notice: halted },
    ],
    ["a hard decline halts at once", { hard: true }, { kind: "halt", notice: halted }],
    [
      "a halted subscription is not halted twice, and not retried",
      { status: "halted" },
      { kind: "halt", notice: again },
    ],
    ...(["active", "created", "past_due", "halted"] as const).map(
      (status): [string, Partial<FailureFacts>, unknown] => [
        `a newer method of a subscription that is ${status} is charged at once, whatever is left of the schedule`,
        { method: "replaced", hard: true, status, retryDays: [] },
        {
          kind: "charge_newer",
          notice: {
            event:
              status === "active" || status === "created"
                ? "subscription.past_due"
                : "subscription.payment_due",
            mail: null,
          },
        },
      ],
    ),
    ...(["created", "active", "past_due", "halted"] as const).map(
      (status): [string, Partial<FailureFacts>, unknown] => [
        `a charge that staff ended without the gateway's word halts a subscription that is ${status}, and no mail says that it failed`,
        { method: "unconfirmed", status },
        {
          kind: "halt",
          notice: {
            event: status === "halted" ? again.event : halted.event,
            mail: "payment_unconfirmed",
          },
        },
      ],
    ),
    [
      "another payer, whose method it was not, is asked by a link",
      { method: "forgotten", hard: true },
      { kind: "ask_payer" },
    ],
  ])("%s", (_promise, more, decision) => {
    expect(decideFailure({ ...facts, ...more })).toEqual(decision);
  });
});
