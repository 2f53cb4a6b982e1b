import { describe, expect, test } from "vitest";
import type { Movement, RefundState } from "@/lib/gateways/gateway";
import { decideKnownRefund, decideMovement, decideNewRefund, decideStanding } from "./decide";

const payment = {
  id: "p1",
  amount: 1_000,
  currency: "MYR",
  refundedAmount: 0,
  status: "succeeded",
  message: null,
} as const;
const dispute = (status: "open" | "won" | "lost") => ({ id: "d1", status, reason: "not_received" });

describe("a dispute", () => {
  test("makes a payment disputed, and says why", () => {
    expect(decideStanding(payment, dispute("open"))).toEqual({
      status: "disputed",
      message: "The payer disputes this payment with their bank (not received).",
    });
    expect(decideStanding(payment, dispute("lost")).message).toMatch("kept the money");
  });

  test("gives the status before it back when it is won", () => {
    const disputed = { ...payment, status: "disputed", message: "x" } as const;
    expect(decideStanding(disputed, dispute("won"))).toEqual({
      status: "succeeded",
      message: null,
    });
    expect(decideStanding({ ...disputed, refundedAmount: 400 }, dispute("won")).status).toBe(
      "partially_refunded",
    );
  });

  test("that was won before it changed anything changes nothing now", () => {
    const kept = { ...payment, message: "x" };
    expect(decideStanding(kept, dispute("won"))).toEqual({ status: "succeeded", message: "x" });
  });

  test("that is lost later says so", () => {
    const disputed = { ...payment, status: "disputed", message: "x" } as const;
    expect(decideStanding(disputed, dispute("lost")).message).toMatch("kept the money");
  });

  test("that an old answer does not have changes nothing", () => {
    const disputed = { ...payment, status: "disputed", message: "x" } as const;
    expect(decideStanding(disputed, null)).toEqual({ status: "disputed", message: "x" });
  });

  test("cannot make a payment disputed that took no money", () => {
    const failed = { ...payment, status: "failed" } as const;
    expect(decideStanding(failed, dispute("open")).status).toBe("failed");
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

  test.each([
    ["is recorded when it fits", 400, false, listed(), "record"],
    ["waits for a refund of ours that may be the same money", 399, true, listed(), "wait"],
    ["does not fit when it is more than is left", 399, false, listed(), "misfit"],
    ["is recorded beside a refund of ours when both fit", 400, true, listed(), "record"],
    ["is recorded down to the smallest amount", 400, false, listed({ amount: 1 }), "record"],
    ["does not wait in another currency", 399, true, listed({ currency: "SGD" }), "misfit"],
    ["does not fit in another currency", 1_000, true, listed({ currency: "SGD" }), "misfit"],
    ["does not fit when it is nothing", 1_000, false, listed({ amount: 0 }), "misfit"],
    ["is left while it is on its way", 400, false, listed({ status: "pending" }), "keep"],
  ] as const)("and we do not have %s", (_promise, left, open, refund, kind) => {
    expect(decideNewRefund(payment, left, open, refund).kind).toBe(kind);
  });

  test.each([
    ["is kept when nothing is new", known, listed(), "keep"],
    ["is undone when it failed after all", known, listed({ status: "failed" }), "undo"],
    ["does not fit with another amount", known, listed({ amount: 300 }), "misfit"],
    ["does not fit in another currency", known, listed({ currency: "SGD" }), "misfit"],
    [
      "has no outcome to undo while ours has none",
      { ...known, status: "pending" },
      listed({ status: "failed" }),
      "keep",
    ],
    [
      "is compared only when ours has succeeded",
      { ...known, status: "pending" },
      listed({ amount: 300 }),
      "keep",
    ],
    [
      "is still on its way when ours had failed",
      { ...known, status: "failed" },
      listed({ status: "pending" }),
      "keep",
    ],
    ["does not fit when it had failed here", { ...known, status: "failed" }, listed(), "misfit"],
    [
      "is not undone by a failure of another amount",
      known,
      listed({ status: "failed", amount: 300 }),
      "misfit",
    ],
  ] as const)("and we have %s", (_promise, ours, refund, kind) => {
    expect(decideKnownRefund(ours, refund).kind).toBe(kind);
  });

  test("and that is undone says the gateway's reason, or that there is none", () => {
    const undone = (reason: string | null) =>
      decideKnownRefund(known, listed({ status: "failed", reason }));
    expect(undone("The card is closed.")).toEqual({ kind: "undo", reason: "The card is closed." });
    expect(undone(null)).toEqual({
      kind: "undo",
      reason: "The gateway could not give the money back.",
    });
  });
});
