import { describe, expect, test } from "vitest";
import { ERASED_EMAIL } from "@/lib/domain/payers/rules";
import type { FindAnswer } from "@/lib/gateways/gateway";
import {
  type Abandoned,
  decideAbandoned,
  decideLate,
  decideLookUp,
  decideMethod,
  decideOpening,
  decideOutcome,
  decideStart,
  type Late,
  type MethodChange,
  type Outcome,
  type Start,
} from "./decide";

const startedAt = "2026-03-10T00:00:00.000000Z";
const at = (minutes: number) => Date.parse(startedAt) + minutes * 60_000;
const fresh = {
  status: "pending",
  attempt: 0,
  attemptAt: null,
  attemptGatewayId: null,
  expiresAt: "2026-03-13T00:00:00.000000Z",
  fence: 1,
} as const;
/** Its page takes a method for 30 minutes. */
const open = { ...fresh, attempt: 2, attemptAt: startedAt };

describe("a payer presses save", () => {
  test.each<[string, Parameters<typeof decideStart>[0], number, Start]>([
    ["on a token that is not there", undefined, 0, { kind: "show" }],
    ["on an active token", { ...fresh, status: "active" }, 0, { kind: "show" }],
    ["on a revoked token", { ...fresh, status: "revoked" }, 0, { kind: "show" }],
    ["on a token whose time is over", { ...fresh, expiresAt: startedAt }, 0, { kind: "show" }],
    ["for the first time", fresh, 0, { kind: "begin" }],
    ["while the page of an attempt is open", open, 29.9, { kind: "resume" }],
    ["after the page of an attempt has ended", open, 30, { kind: "begin" }],
  ])("%s", (_promise, row, minutes, start) => {
    expect(decideStart(row, at(minutes))).toEqual(start);
  });
});

const card = { brand: "visa", last4: "4242", exp: "12/30" };
const method = { id: "pm_1", card };
const page: FindAnswer = { kind: "open", gatewayId: "cs_1", url: "https://gateway.test/1" };

test("a page is cancelled at the gateway when it is open and its time is over", () => {
  expect(decideLookUp(open, page, at(29.9))).toEqual({ kind: "settle" });
  expect(decideLookUp(open, page, at(30))).toEqual({ kind: "cancel" });
  expect(decideLookUp(open, { kind: "nothing" }, at(30))).toEqual({ kind: "settle" });
});

describe("an answer about an attempt", () => {
  const outcomeOf = (answer: FindAnswer, change: object = {}, minutes = 1, fence?: number) =>
    decideOutcome({ ...open, ...change }, 2, answer, { now: at(minutes), fence });
  const saved: FindAnswer = { kind: "saved", gatewayId: "cs_1", method };
  const declined: FindAnswer = {
    kind: "failed",
    gatewayId: "cs_1",
    decline: "soft",
    reason: "Declined.",
  };

  test.each<[string, FindAnswer, number, Outcome]>([
    ["saved: the token is active", saved, 1, { kind: "activate", method }],
    [
      "failed: the payer reads why",
      declined,
      1,
      { kind: "close", notice: { kind: "declined", reason: "Declined." } },
    ],
    [
      "failed without an attempt at the gateway: the payer reads no reason",
      { ...declined, gatewayId: "" },
      1,
      { kind: "close", notice: { kind: "refused" } },
    ],
    [
      "cancelled",
      { kind: "cancelled", gatewayId: "" },
      1,
      { kind: "close", notice: { kind: "cancelled" } },
    ],
    [
      "open: the page is kept",
      page,
      1,
      { kind: "keep_page", url: "https://gateway.test/1", gatewayId: "cs_1", notice: null },
    ],
    [
      "open after a decline: the page is kept, and the payer reads why",
      { ...page, declined: "Declined." },
      1,
      {
        kind: "keep_page",
        url: "https://gateway.test/1",
        gatewayId: "cs_1",
        notice: { kind: "declined", reason: "Declined." },
      },
    ],
    [
      "nothing proves nothing yet",
      { kind: "nothing" },
      29.9,
      { kind: "look_again", processing: false },
    ],
    ["nothing, after its time", { kind: "nothing" }, 30, { kind: "close", notice: null }],
    [
      "pending: the payer waits",
      { kind: "pending", gatewayId: "cs_1" },
      1,
      { kind: "look_again", processing: true },
    ],
    [
      "unknown: the payer waits",
      { kind: "unknown", reason: "timeout" },
      24 * 60 - 1,
      { kind: "look_again", processing: true },
    ],
    [
      "unknown for a day: the token may expire",
      { kind: "unknown", reason: "timeout" },
      24 * 60,
      { kind: "stop_asking" },
    ],
    [
      "pending for a day: the payer waits",
      { kind: "pending", gatewayId: "cs_1" },
      24 * 60,
      { kind: "look_again", processing: true },
    ],
  ])("%s", (_promise, answer, minutes, outcome) => {
    expect(outcomeOf(answer, {}, minutes)).toEqual(outcome);
  });

  test.each<[string, object, number | undefined]>([
    ["about an earlier attempt", { attempt: 3 }, undefined],
    ["about an attempt that is closed", { attemptAt: null }, undefined],
    ["about a token that is not pending", { status: "revoked" }, undefined],
    ["under a claim that was lost", {}, 7],
  ])("%s is ignored", (_promise, change, fence) => {
    expect(outcomeOf(saved, change, 1, fence)).toEqual({ kind: "ignore" });
  });

  test.each<[string, FindAnswer]>([
    ["another page than the one that the payer has", { ...page, gatewayId: "cs_2" }],
    ["a refusal of another request", { ...declined, gatewayId: "" }],
  ])("%s is ignored", (_promise, answer) => {
    expect(outcomeOf(answer, { attemptGatewayId: "cs_1" })).toEqual({ kind: "ignore" });
  });

  test.each<[string, FindAnswer, Outcome["kind"]]>([
    ["the same page again", page, "keep_page"],
    ["its decline", declined, "close"],
    ["a method that was saved", saved, "activate"],
  ])("%s counts while the payer has a page", (_promise, answer, kind) => {
    expect(outcomeOf(answer, { attemptGatewayId: "cs_1" })).toMatchObject({ kind });
  });

  test("under the claim that is held counts", () => {
    expect(outcomeOf(saved, {}, 1, 1)).toEqual({ kind: "activate", method });
  });
});

test("a page that opened is kept, a refusal ends the attempt, and without an answer the attempt stays", () => {
  expect(
    decideOpening({ kind: "redirect", gatewayId: "cs_1", url: "https://gateway.test/1" }),
  ).toEqual({ kind: "settle", answer: page });
  expect(decideOpening({ kind: "refused", reason: "for staff" })).toMatchObject({
    kind: "settle",
    answer: { kind: "failed", gatewayId: "", reason: "for staff" },
  });
  expect(decideOpening({ kind: "unknown", reason: "timeout" })).toEqual({
    kind: "keep_attempt",
    notice: { kind: "declined", reason: "The payment provider could not be reached." },
  });
});

describe("the attempt of a revoked token", () => {
  const revoked = {
    ...open,
    status: "revoked",
    attemptGatewayId: "cs_1",
    email: "ana@example.com",
  } as const;
  const unseen = { ...revoked, attemptGatewayId: null };
  /** No definite answer came for a day. */
  const unanswered = { ...revoked, attemptAt: null };
  const connected = (minutes: number) => ({ now: at(minutes), disconnected: false });
  type Abandoning = Parameters<typeof decideAbandoned>[0];
  const closed = { kind: "cancelled", gatewayId: "cs_1" } as const;
  const silent = { kind: "unknown", reason: "timeout" } as const;
  const method = { id: "pm_1", card: { brand: "visa", last4: "4242", exp: "04/2031" } };
  const saved = { kind: "saved", gatewayId: "cs_1", method } as const;
  test.each<[string, Abandoning, number, FindAnswer, Abandoned]>([
    ["ends when the gateway has closed the page", revoked, 1, closed, { kind: "close" }],
    ["is looked at again until the gateway speaks", revoked, 31, silent, { kind: "look_again" }],
    ["is asked about for a day", revoked, 24 * 60, silent, { kind: "stop_asking" }],
    [
      "is looked at again while its page is open",
      revoked,
      24 * 60 - 1,
      page,
      { kind: "look_again" },
    ],
    ["ends when its page is not closed for a day", revoked, 24 * 60, page, { kind: "stop_asking" }],
    [
      "ends when its page is under way for a day",
      revoked,
      24 * 60,
      { kind: "pending", gatewayId: "cs_1" },
      { kind: "stop_asking" },
    ],
    [
      "that ended without an answer is not opened by its page",
      unanswered,
      0,
      page,
      { kind: "ignore" },
    ],
    ["may be there later", revoked, 29.9, { kind: "nothing" }, { kind: "look_again" }],
    ["ends when it never was", revoked, 30, { kind: "nothing" }, { kind: "close" }],
    ["ends with its time when no payer has its page", unseen, 30, silent, { kind: "close" }],
    [
      "that no payer has is looked at again until then",
      unseen,
      29.9,
      silent,
      { kind: "look_again" },
    ],
    [
      "that ended without an answer is not opened by silence",
      unanswered,
      0,
      silent,
      { kind: "ignore" },
    ],
    [
      "that ended without an answer ends when there is one",
      unanswered,
      0,
      closed,
      { kind: "close" },
    ],
    [
      "that ended without an answer notes a method too",
      unanswered,
      0,
      saved,
      { kind: "keep_method", method },
    ],
    [
      "that ended without an answer notes no method on the record of an erased payer",
      { ...unanswered, email: ERASED_EMAIL },
      0,
      saved,
      { kind: "ignore" },
    ],
    [
      "is left alone while the token is pending",
      { ...revoked, status: "pending" },
      1,
      closed,
      { kind: "ignore" },
    ],
    ["notes what the payer had saved", revoked, 1, saved, { kind: "keep_method", method }],
    ["notes it also when its time is over", revoked, 40, saved, { kind: "keep_method", method }],
  ])("%s", (_promise, row, minutes, answer, decision) => {
    expect(decideAbandoned(row, 2, answer, connected(minutes))).toEqual(decision);
  });

  test.each<[string, Abandoning, Abandoned]>([
    ["is asked about no more", revoked, { kind: "stop_asking" }],
    ["ends when no payer has its page", unseen, { kind: "close" }],
    ["that ended without an answer stays so", unanswered, { kind: "ignore" }],
  ])("at an account that is disconnected %s", (_promise, row, decision) => {
    const facts = { now: at(1), disconnected: true };
    expect(decideAbandoned(row, 2, silent, facts)).toEqual(decision);
  });

  test("is left alone when another attempt is open, or none", () => {
    expect(decideAbandoned(revoked, 1, saved, connected(1))).toEqual({ kind: "ignore" });
    expect(decideAbandoned({ ...unseen, attemptAt: null }, 2, saved, connected(1))).toEqual({
      kind: "ignore",
    });
  });
});

describe("what the gateway says of an attempt that has ended", () => {
  const saved: FindAnswer = { kind: "saved", gatewayId: "cs_1", method };
  const email = "ana@example.com";
  const none = { methodId: null, activatedAt: null, email };
  test.each<[string, Parameters<typeof decideLate>[0], FindAnswer, Late]>([
    ["a method counts", { ...none, status: "pending" }, saved, { kind: "activate", method }],
    [
      "without a method changes nothing",
      { ...none, status: "pending" },
      { kind: "cancelled", gatewayId: "cs_1" },
      { kind: "ignore" },
    ],
    [
      "a second method is ignored",
      { status: "active", methodId: "sealed", activatedAt: startedAt, email },
      saved,
      { kind: "ignore" },
    ],
    [
      "a method that was forgotten already is ignored",
      { status: "revoked", methodId: null, activatedAt: startedAt, email },
      saved,
      { kind: "ignore" },
    ],
    [
      "a method of an erased payer is not noted",
      { ...none, status: "revoked", email: ERASED_EMAIL },
      saved,
      { kind: "ignore" },
    ],
    ...(["revoked", "expired"] as const).map(
      (status): [string, Parameters<typeof decideLate>[0], FindAnswer, Late] => [
        `a method of a token that is ${status} is noted`,
        { ...none, status },
        saved,
        { kind: "keep_method", method },
      ],
    ),
  ])("%s", (_promise, row, answer, late) => {
    expect(decideLate(row, answer)).toEqual(late);
  });
});

describe("a saved method that has changed at the gateway", () => {
  const card = { brand: "visa", last4: "4242", exp: "04/2031" };
  const row = { status: "active", methodId: "sealed", ...card } as const;
  const found = { kind: "found", card } as const;
  test.each<
    [string, Parameters<typeof decideMethod>[0], Parameters<typeof decideMethod>[2], MethodChange]
  >([
    ["with the card that is known changes nothing", row, found, { kind: "ignore" }],
    ["with another expiry is updated", { ...row, exp: "03/2026" }, found, { kind: "update", card }],
    ["with another number is updated", { ...row, last4: "1111" }, found, { kind: "update", card }],
    ["with another brand is updated", { ...row, brand: "x" }, found, { kind: "update", card }],
    ["that is gone revokes the token", row, { kind: "gone" }, { kind: "revoke" }],
    [
      "is left alone when the token has ended",
      { ...row, status: "revoked" },
      { kind: "gone" },
      { kind: "ignore" },
    ],
    [
      "is left alone when the token saves another method",
      { ...row, methodId: "other" },
      { kind: "gone" },
      { kind: "ignore" },
    ],
    ["is left alone without a record", undefined, { kind: "gone" }, { kind: "ignore" }],
  ])("%s", (_promise, known, answer, change) => {
    expect(decideMethod(known, "sealed", answer)).toEqual(change);
  });
});
