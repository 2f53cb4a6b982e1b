import { expect, test } from "vitest";
import { linkStatuses, paymentStatuses } from "@/lib/contract/values";
import type { LinkRow } from "@/lib/domain/payment-links/rows";
import type { PaymentRow } from "@/lib/domain/payments/rows";
import { decideStart, wayOf } from "./decide";

const NOON = "2026-01-01T12:00:00.000000Z";
const noon = Date.parse(NOON);
const link = { status: "Active", version: 3, expiresAt: null } as LinkRow;
const open = { id: "p1", tokenizationId: null } as PaymentRow;

test("a payer begins an attempt, or resumes the one that is open", () => {
  expect(decideStart(link, undefined, 3, noon)).toEqual({ kind: "begin", link });
  expect(decideStart(link, open, 3, noon)).toEqual({ kind: "resume", attempt: open, link });
});

test("only an active link takes an attempt", () => {
  for (const status of linkStatuses.filter((one) => one !== "Active"))
    expect(decideStart({ ...link, status }, undefined, 3, noon)).toEqual({ kind: "show" });
  expect(decideStart(undefined, undefined, 3, noon)).toEqual({ kind: "show" });
});

test("a link takes attempts until its expiry, and none from then on", () => {
  const expiring = { ...link, expiresAt: NOON };
  expect(decideStart(expiring, undefined, 3, noon - 1).kind).toBe("begin");
  expect(decideStart(expiring, undefined, 3, noon)).toEqual({ kind: "show" });
});

test("a payer who saw another version is shown the link again, also while an attempt is open", () => {
  for (const version of [2, 4])
    for (const attempt of [undefined, open])
      expect(decideStart(link, attempt, version, noon)).toEqual({ kind: "changed" });
});

test("a link whose saved method is being charged has no page to open", () => {
  const charging = { ...open, tokenizationId: "t1" } as PaymentRow;
  expect(decideStart(link, charging, 3, noon)).toEqual({ kind: "show" });
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
