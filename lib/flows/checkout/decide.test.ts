import { describe, expect, test } from "vitest";
import { linkStatuses, type PayChoice, paymentStatuses } from "@/lib/contract/values";
import type { LinkRow } from "@/lib/domain/payment-links/rows";
import type { PaymentRow } from "@/lib/domain/payments/rows";
import { decideStart, wayOf } from "./decide";

const NOON = "2026-01-01T12:00:00.000000Z";
const noon = Date.parse(NOON);
const link = { status: "Active", version: 3, expiresAt: null } as LinkRow;
const open = {
  id: "p1",
  status: "requires_action",
  tokenizationId: null,
  connectionId: "c1",
  choice: null,
} as PaymentRow;
const wanted = (version = 3, choice: PayChoice | null = null, connectionId = "c1") => ({
  version,
  connectionId,
  choice,
});
const start = (...[at, attempt, asked, now, restoredAt]: Partial<Parameters<typeof decideStart>>) =>
  decideStart(at, attempt, asked ?? wanted(), now ?? noon, restoredAt ?? null);
const card: PayChoice = { method: "card", option: null };
const fpx: PayChoice = { method: "fpx", option: "MB2U0227" };

test("a payer begins an attempt, or resumes the one that is open", () => {
  expect(start(link, undefined, wanted(), noon)).toEqual({ kind: "begin", link });
  expect(start(link, open, wanted(), noon)).toEqual({ kind: "resume", attempt: open, link });
});

test("only an active link takes an attempt", () => {
  for (const status of linkStatuses.filter((one) => one !== "Active"))
    expect(start({ ...link, status }, undefined, wanted(), noon)).toEqual({ kind: "show" });
  expect(start(undefined, undefined, wanted(), noon)).toEqual({ kind: "show" });
});

test("a link takes attempts until its expiry, and none from then on", () => {
  const expiring = { ...link, expiresAt: NOON };
  expect(start(expiring, undefined, wanted(), noon - 1).kind).toBe("begin");
  expect(start(expiring, undefined, wanted(), noon)).toEqual({ kind: "show" });
});

test("a payer who saw another version is shown the link again, also while an attempt is open", () => {
  for (const version of [2, 4])
    for (const attempt of [undefined, open])
      expect(start(link, attempt, wanted(version), noon)).toEqual({ kind: "changed" });
});

test("a link whose saved method is being charged has no page to open", () => {
  const charging = { ...open, tokenizationId: "t1" } as PaymentRow;
  expect(start(link, charging, wanted(), noon)).toEqual({ kind: "show" });
});

test("a payer waits while an attempt of a restored backup may have a page that is not known here", () => {
  const attempt = { ...open, status: "submitting", gatewayId: null, startedAt: NOON } as PaymentRow;
  for (const asked of [wanted(), wanted(3, card, "c2")]) {
    expect(start(link, attempt, asked, noon, NOON)).toEqual({ kind: "wait" });
    expect(start(link, attempt, asked, noon, "2026-01-01T11:59:59.000Z").kind).not.toBe("wait");
    expect(start(link, open, asked, noon, NOON).kind).not.toBe("wait");
  }
});

test("an attempt leads to its hosted page, or has it opened, and shows any other status", () => {
  const url = "https://gateway.test/page";
  expect(wayOf({ status: "requires_action", checkoutUrl: url })).toEqual({ kind: "redirect", url });
  for (const status of paymentStatuses)
    expect(wayOf({ status, checkoutUrl: null })).toEqual({
      kind: status === "submitting" ? "open" : "show",
    });
  expect(wayOf({ status: "pending", checkoutUrl: url })).toEqual({ kind: "show" });
});

describe("another way to pay than that of the open attempt", () => {
  const others = [
    ["another method", wanted(3, card)],
    ["another bank", wanted(3, { ...fpx, option: "PBB0233" })],
    ["another gateway", wanted(3, fpx, "c2")],
  ] as const;

  test.each(others)("%s closes the open page first", (_name, other) => {
    const attempt = { ...open, choice: fpx } as PaymentRow;
    expect(start(link, attempt, other, noon)).toEqual({ kind: "close", attempt });
  });

  test.each(others)("%s replaces an attempt that no payer has a page of", (_name, other) => {
    const attempt = { ...open, status: "submitting", choice: fpx } as PaymentRow;
    expect(start(link, attempt, other, noon)).toEqual({ kind: "replace", attempt, link });
  });

  test.each(others)("%s begins nothing while money may be moving", (_name, other) => {
    for (const status of ["pending", "unknown"] as const) {
      const attempt = { ...open, status, choice: fpx } as PaymentRow;
      expect(start(link, attempt, other, noon)).toEqual({ kind: "show" });
    }
  });

  test("the same way, or none named, resumes the open attempt", () => {
    const attempt = { ...open, choice: fpx } as PaymentRow;
    for (const same of [wanted(3, fpx), wanted(), wanted(3, null, "c2")])
      expect(start(link, attempt, same, noon)).toEqual({ kind: "resume", attempt, link });
  });
});
