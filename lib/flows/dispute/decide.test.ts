import { describe, expect, test } from "vitest";
import type { Movement, RefundState } from "@/lib/gateways/gateway";
import {
  decideKnownRefund,
  decideMovement,
  decideNewRefund,
  decideStanding,
  matchRefunds,
} from "./decide";

const AT = "2026-11-19T13:41:05.902177Z";

const payment = {
  id: "p1",
  amount: 1_000,
  currency: "MYR",
  refundedAmount: 0,
  status: "succeeded",
  message: null,
  disputeStatus: null,
} as const;
const dispute = (status: "open" | "won" | "lost") => ({ id: "d1", status, reason: "not_received" });

const disputed = { ...payment, status: "disputed", message: "x", disputeStatus: "open" } as const;

describe("a dispute", () => {
  test("makes a payment disputed, and says why", () => {
    expect(decideStanding(payment, dispute("open"))).toEqual({
      status: "disputed",
      message: "The payer disputes this payment with their bank (not received).",
      disputeStatus: "open",
    });
    expect(decideStanding(payment, dispute("lost")).message).toMatch("kept the money");
  });

  test("gives the status before it back when it is won", () => {
    expect(decideStanding(disputed, dispute("won"))).toEqual({
      status: "succeeded",
      message: null,
      disputeStatus: "won",
    });
    expect(decideStanding({ ...disputed, refundedAmount: 400 }, dispute("won")).status).toBe(
      "partially_refunded",
    );
  });

  test("that was won before it changed anything changes nothing now", () => {
    const kept = { ...payment, message: "x" };
    expect(decideStanding(kept, dispute("won"))).toEqual({
      status: "succeeded",
      message: "x",
      disputeStatus: null,
    });
  });

  test("that is lost later says so", () => {
    const standing = decideStanding(disputed, dispute("lost"));
    expect(standing.message).toMatch("kept the money");
    expect(standing).toMatchObject({ status: "disputed", disputeStatus: "lost" });
  });

  test("that an old answer does not have changes nothing", () => {
    const { status, message, disputeStatus } = disputed;
    expect(decideStanding(disputed, null)).toEqual({ status, message, disputeStatus });
  });

  test("cannot make a payment disputed that took no money", () => {
    const failed = { ...payment, status: "failed" } as const;
    expect(decideStanding(failed, dispute("open"))).toMatchObject({
      status: "failed",
      disputeStatus: null,
    });
  });
});

describe("money that a dispute moved", () => {
  const moved = (amount: number, currency = "MYR"): Movement => ({
    id: "m1",
    money: { amount, currency },
    fee: { amount: 0, currency },
    stated: "something",
  });

  test.each([
    ["takes up to what was paid", 0, moved(1_000), 1_000],
    ["gives back up to what was taken", 1_000, moved(-1_000), 0],
  ])("%s", (_promise, before, movement, disputedAmount) => {
    expect(decideMovement(payment, before, movement)).toMatchObject({
      kind: "book",
      disputedAmount,
    });
  });

  test.each([
    ["more than was paid", 1, moved(1_000)],
    ["more back than was taken", 999, moved(-1_000)],
    ["another currency", 0, moved(1_000, "SGD")],
    ["an amount that is not known", 0, { ...moved(1), money: null }],
    ["a fee that is not known", 0, { ...moved(1), fee: null }],
  ])("is not booked for %s", (_reason, before, movement) => {
    expect(decideMovement(payment, before, movement).kind).toBe("misfit");
  });
});

describe("a refund that the gateway lists", () => {
  const listed = (change: Partial<RefundState> = {}): RefundState => ({
    refundId: "re_1",
    key: null,
    status: "succeeded",
    reason: null,
    amount: 400,
    currency: "MYR",
    ...change,
  });
  const known = { id: "r1", status: "succeeded", amount: 400, currency: "MYR" } as const;
  const ours = { ...known, status: "unknown", gatewayId: null } as const;
  const other = { ...ours, amount: 300 } as const;

  test.each([
    ["is recorded when it fits", 400, null, listed(), "record"],
    ["waits for a refund made here that leaves too little", 399, other, listed(), "wait"],
    ["waits for a refund made here that may be the same", 600, ours, listed(), "wait"],
    ["has another key and is not the same", 600, ours, listed({ key: "r2" }), "record"],
    ["does not fit when it is more than is left", 399, null, listed(), "misfit"],
    ["is recorded beside another refund made here when both fit", 400, other, listed(), "record"],
    ["is recorded down to the smallest amount", 400, null, listed({ amount: 1 }), "record"],
    ["does not wait in another currency", 399, ours, listed({ currency: "SGD" }), "misfit"],
    ["does not fit in another currency", 1_000, ours, listed({ currency: "SGD" }), "misfit"],
    ["does not fit when it is nothing", 1_000, null, listed({ amount: 0 }), "misfit"],
    ["is left while it is on its way", 400, null, listed({ status: "pending" }), "keep"],
  ] as const)("and we do not have %s", (_promise, left, open, refund, kind) => {
    expect(decideNewRefund(payment, left, open ? [open] : [], [], refund).kind).toBe(kind);
  });

  test.each([
    ["is kept when nothing is new", known, listed(), "keep"],
    ["is undone when it failed after all", known, listed({ status: "failed" }), "undo"],
    ["does not fit with another amount", known, listed({ amount: 300 }), "misfit"],
    ["does not fit in another currency", known, listed({ currency: "SGD" }), "misfit"],
    [
      "has no outcome to undo while the stored refund has none",
      { ...known, status: "pending" },
      listed({ status: "failed" }),
      "keep",
    ],
    [
      "is compared only when the stored refund has succeeded",
      { ...known, status: "pending" },
      listed({ amount: 300 }),
      "keep",
    ],
    [
      "is still on its way when the stored refund had failed",
      { ...known, status: "failed" },
      listed({ status: "pending" }),
      "keep",
    ],
    ["is booked when it had failed here", { ...known, status: "failed" }, listed(), "revive"],
    [
      "does not fit with another amount when it had failed here",
      { ...known, status: "failed" },
      listed({ amount: 300 }),
      "misfit",
    ],
    [
      "is not undone by a failure of another amount",
      known,
      listed({ status: "failed", amount: 300 }),
      "misfit",
    ],
  ] as const)("and we have %s", (_promise, ours, refund, kind) => {
    expect(decideKnownRefund(ours, refund, 400, false).kind).toBe(kind);
  });

  test("and that had failed here is not booked beyond what is left, nor a second time", () => {
    const failed = { ...known, status: "failed" } as const;
    expect(decideKnownRefund(failed, listed(), 399, false).kind).toBe("misfit");
    expect(decideKnownRefund(failed, listed(), 400, true).kind).toBe("misfit");
  });

  test("and that is undone says the gateway's reason, or that there is none", () => {
    const undone = (reason: string | null) =>
      decideKnownRefund(known, listed({ status: "failed", reason }), 0, true);
    expect(undone("The card is closed.")).toEqual({ kind: "undo", reason: "The card is closed." });
    expect(undone(null)).toEqual({
      kind: "undo",
      reason: "The payment provider could not refund the money.",
    });
  });
});

describe("a refund that staff recorded", () => {
  const row = (id: string, change = {}) => ({
    ...({ id, status: "succeeded", gatewayId: null, amount: 400, currency: "MYR" } as const),
    ...{ createdAt: AT, succeededAt: AT },
    ...change,
  });
  const listed = (refundId: string, change: Partial<RefundState> = {}): RefundState => ({
    ...{ refundId, key: null, status: "succeeded", reason: null, amount: 400, currency: "MYR" },
    ...change,
  });
  const pairs = (ours: ReturnType<typeof row>[], theirs: RefundState[], namesKeys = true) => {
    const { known, fresh, unmatched } = matchRefunds(ours, theirs, namesKeys);
    return {
      known: known.map((one) => `${one.listed.refundId} ${one.ours.id}${one.adopted ? "!" : ""}`),
      fresh: fresh.map(({ refundId }) => refundId),
      unmatched: unmatched.map(({ id }) => id),
    };
  };

  test.each([
    ["matches one of its amount", [row("a")], [listed("1")], ["1 a!"], [], []],
    [
      "matches one of two, the oldest first",
      [row("a"), row("b")],
      [listed("1")],
      ["1 a!"],
      [],
      ["b"],
    ],
    [
      "matches one each",
      [row("a"), row("b")],
      [listed("1"), listed("2")],
      ["1 a!", "2 b!"],
      [],
      [],
    ],
    ["leaves a second one", [row("a")], [listed("1"), listed("2")], ["1 a!"], ["2"], []],
    [
      "stays matched",
      [row("a", { gatewayId: "2" })],
      [listed("1"), listed("2")],
      ["2 a"],
      ["1"],
      [],
    ],
    [
      "matches what went through before what is on its way",
      [row("a")],
      [listed("1", { status: "pending" }), listed("2")],
      ["2 a!"],
      ["1"],
      [],
    ],
    [
      "matches what is on its way",
      [row("a")],
      [listed("1", { status: "pending" })],
      ["1 a!"],
      [],
      [],
    ],
    ["matches none that failed", [row("a")], [listed("1", { status: "failed" })], [], ["1"], ["a"]],
    ["matches no other amount", [row("a")], [listed("1", { amount: 401 })], [], ["1"], ["a"]],
    ["matches no other currency", [row("a")], [listed("1", { currency: "SGD" })], [], ["1"], ["a"]],
    [
      "keeps its id when it is named by its key",
      [row("a")],
      [listed("1", { key: "a" })],
      ["1 a!"],
      [],
      [],
    ],
    ["is one that succeeded", [row("a", { status: "unknown" })], [listed("1")], [], ["1"], []],
    [
      "is listed twice and matches once",
      [row("a"), row("b")],
      [listed("1"), listed("1")],
      ["1 a!"],
      [],
      ["b"],
    ],
  ])("%s", (_promise, ours, theirs, known, fresh, unmatched) => {
    for (const namesKeys of [true, false])
      expect(pairs(ours, theirs, namesKeys)).toEqual({ known, fresh, unmatched });
  });

  test("is not one that was sent under a key, and that staff said to have succeeded", () => {
    const sent = row("a", { succeededAt: "2026-11-20T13:41:05.902177Z" });
    const another = [listed("1", { amount: 300 })];
    expect(pairs([sent], another)).toEqual({ known: [], fresh: ["1"], unmatched: [] });
    expect(pairs([sent], another, false)).toEqual({ known: [], fresh: ["1"], unmatched: ["a"] });
    expect(pairs([sent], [listed("1", { key: "a" }), listed("2")])).toEqual({
      known: ["1 a!"],
      fresh: ["2"],
      unmatched: [],
    });
    // Staff made it at the gateway themselves, where the one that was sent never arrived.
    expect(pairs([sent], [listed("1")])).toEqual({ known: ["1 a!"], fresh: [], unmatched: [] });
  });

  test.each([
    ["another amount", listed("1", { amount: 300 }), "may be refund a of MYR 4.00"],
    ["a failure of its amount", listed("1", { status: "failed" }), "Refund a may be the same"],
  ])("and that matches nothing keeps %s from being booked", (_what, one, problem) => {
    expect(decideNewRefund(payment, 600, [], [row("a")], one)).toEqual({
      kind: "misfit",
      problem: expect.stringContaining(problem),
    });
  });

  test("lets a failure or a pending refund of another amount pass", () => {
    for (const status of ["failed", "pending"] as const)
      expect(
        decideNewRefund(payment, 600, [], [row("a")], listed("1", { status, amount: 300 })),
      ).toEqual({ kind: "keep" });
  });
});
