import { expect, test } from "vitest";
import { paymentStatuses, refundStatuses } from "@/lib/contract/values";
import {
  assertNoneOpen,
  contradicts,
  decide,
  decideAbsent,
  decideListed,
  decideSupport,
  findListed,
} from "./decide";

const amount = 1_000;

test.each([
  ["succeeded", 0, undefined, 1_000],
  ["succeeded", 0, 400, 400],
  ["partially_refunded", 400, undefined, 600],
  ["partially_refunded", 400, 600, 600],
] as const)("a %s payment with %i held gives back %s: %i", (status, held, asked, given) => {
  expect(decide({ status, disputeStatus: null, amount }, held, asked)).toEqual({
    kind: "refund",
    amount: given,
  });
});

test.each([
  ["partially_refunded", 400, 601, 422, "must not be greater than 600"],
  ["succeeded", 1_000, undefined, 409, "fully refunded"],
  ["succeeded", 1_000, 1, 409, "fully refunded"],
  ["refunded", 0, undefined, 409, "fully refunded"],
  ["refunded", 1_000, undefined, 409, "fully refunded"],
  ["disputed", 0, undefined, 409, "disputed"],
  ["pending", 0, undefined, 409, "Only a payment that succeeded"],
  ["pending", 1_000, undefined, 409, "Only a payment that succeeded"],
] as const)(
  "a %s payment with %i held refuses %s with %i: %s",
  (status, held, asked, code, why) => {
    const decision = decide({ status, disputeStatus: null, amount }, held, asked);
    if (decision.kind !== "refuse") throw new Error("it is refunded");
    const { status: answered, message, options } = decision.problem;
    expect(answered).toBe(code);
    expect(message + JSON.stringify(options)).toContain(why);
  },
);

test.each([
  ["lost", "has kept the money"],
  ["open", "decides about the money"],
] as const)("a dispute that is %s says that the bank %s", (disputeStatus, words) => {
  const decision = decide({ status: "disputed", disputeStatus, amount }, 0, undefined);
  if (decision.kind !== "refuse") throw new Error("it is refunded");
  expect(decision.problem.message).toContain(words);
});

test("nothing goes back of a payment that took no money", () => {
  const taken = ["succeeded", "partially_refunded"];
  for (const status of paymentStatuses.filter((one) => !taken.includes(one)))
    expect(decide({ status, disputeStatus: null, amount }, 0, undefined).kind).toBe("refuse");
});

test("the gateway makes what it can refund, and staff record what it cannot", () => {
  const unsupported = { kind: "unsupported", reason: "None." } as const;
  expect(decideSupport("Basic", { kind: "supported" }, false)).toEqual({ kind: "ask" });
  expect(decideSupport("Basic", unsupported, true)).toEqual({ kind: "record" });
  expect(decideSupport("Basic", { kind: "supported" }, true)).toEqual({ kind: "look" });
  expect(decideSupport("Basic", unsupported, false)).toMatchObject({
    problem: { status: 409, code: "refund_unsupported", message: "None." },
  });
  for (const made of [true, false])
    expect(decideSupport("Basic", { kind: "unknown", reason: "" }, made)).toMatchObject({
      problem: { status: 503 },
    });
});

test("staff record a refund that the gateway lists as done and that has no record, and no other", () => {
  const payment = { id: "p", amount, currency: "MYR" };
  const one = { refundId: "re_1", key: null, status: "succeeded", reason: null } as const;
  const listed = { ...one, amount: 400, currency: "MYR" };
  const on = (change: object, more: object = {}) =>
    decideListed("Basic", payment, 400, {
      fresh: [{ ...listed, ...change }],
      left: 600,
      open: [],
      ...more,
    });
  expect(on({})).toEqual({ kind: "record", listed });
  expect(on({}, { fresh: [{ ...listed, status: "failed" }, listed] })).toMatchObject({ listed });
  const open = [{ ...listed, id: "r", status: "unknown", gatewayId: null }];
  for (const [decision, why] of [
    [on({ amount: 401 }), "shows no refund of this amount"],
    [on({ currency: "SGD" }), "shows no refund of this amount"],
    [on({ status: "failed" }), "shows no refund of this amount"],
    [on({ status: "pending" }), "Record it once it is done"],
    [on({}, { left: 399 }), "does not fit what is left"],
    [on({}, { open }), "no outcome yet"],
  ] as const)
    expect(decision).toMatchObject({
      kind: "refuse",
      problem: { status: 409, code: "conflict", message: expect.stringContaining(why) },
    });
});

test("where the gateway lists none, nothing asks to refund what the payer may have already", () => {
  const payment = { id: "p", amount, currency: "MYR" };
  const decision = decideListed("Basic", payment, 400, { fresh: [], left: 600, open: [] });
  if (decision.kind !== "refuse") throw new Error("it is recorded");
  expect(decision.problem.message).toMatch(/If the payer has the money already, do not refund it/);
  expect(decision.problem.message).not.toMatch(/To give money back now|refund the payment/);
});

test("a refund that the gateway listed is the one that staff record, until one of them has", () => {
  const row = (id: string, change = {}) => ({
    ...({ id, status: "succeeded", amount: 400, gatewayId: id } as const),
    ...{ actor: { kind: "gateway" } as const },
    ...change,
  });
  expect(findListed([row("a"), row("b")], 400)?.id).toBe("b");
  for (const other of [
    row("a", { status: "failed" }),
    row("a", { amount: 401 }),
    row("a", { gatewayId: null }),
    row("a", { actor: { kind: "person", id: "u" } }),
  ])
    expect(findListed([other], 400)).toBeUndefined();
  expect(findListed([row("a")], undefined)).toBeUndefined();
});

test.each([
  [14, "unknown"],
  [15, "failed"],
  [16, "failed"],
] as const)(
  "a refund that is not at its gateway after %i minutes and is never sent again: %s",
  (minutes, kind) => {
    const now = Date.parse("2026-11-20T12:00:00Z");
    const startedAt = new Date(now - minutes * 60_000).toISOString();
    expect(decideAbsent({ startedAt }, now)).toMatchObject({
      kind,
      reason: expect.stringMatching(/\S/),
    });
  },
);

test("only the opposite of an outcome contradicts it", () => {
  const done = { kind: "succeeded", refundId: "re_1", amount, currency: "MYR" } as const;
  const refused = { kind: "failed", reason: "No." } as const;
  const opposite = refundStatuses.flatMap((status) =>
    [done, refused, { kind: "nothing" } as const]
      .filter((answer) => contradicts(answer, { status }))
      .map(({ kind }) => [kind, status]),
  );
  expect(opposite).toEqual([
    ["failed", "succeeded"],
    ["succeeded", "failed"],
  ]);
});

test("a refund without an outcome holds off others where a gateway makes them one by one", () => {
  expect(() => assertNoneOpen([{ status: "succeeded" }, { status: "failed" }])).not.toThrow();
  for (const status of ["submitting", "pending", "unknown"] as const)
    expect(() => assertNoneOpen([{ status }])).toThrow("no outcome yet");
});
