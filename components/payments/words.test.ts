import { expect, test } from "vitest";
import { erasedEmail, paymentStatuses } from "@/lib/contract/values";
import { hasReceipt as isServed } from "@/lib/domain/payments/receipt";
import type { PaymentRow } from "@/lib/domain/payments/rows";
import {
  hasStayedUnknown,
  flagText,
  hasReceipt,
  meaningOf,
  netLabel,
  nothingLeft,
  refundedPayer,
  resolvableLater,
  resolvable,
} from "./words";

test.each(paymentStatuses)(
  "a receipt of a payment that is %s is offered where there is one",
  (status) => {
    const row = { status, succeededAt: "2026-11-20T13:41:05.902177Z" } as PaymentRow;
    expect(hasReceipt({ status })).toBe(isServed(row));
  },
);

test.each([
  ["Net", {}],
  ["Net before refunds and disputes", { refunded_amount: 500 }],
  ["Net before refunds and disputes", { disputed_amount: 500 }],
  ["Net before refunds and disputes", { dispute_fee: 1_500 }],
])("%s is the name of a net beside %j", (name, more) => {
  const payment = { refunded_amount: 0, disputed_amount: 0, dispute_fee: null };
  expect(netLabel({ ...payment, ...more })).toBe(name);
});

test.each(paymentStatuses)(
  "an amount mismatch of a payment that is %s says whether it counts as paid",
  (status) => {
    const text = flagText("amount_mismatch", { status });
    const counts = ["succeeded", "partially_refunded", "refunded", "disputed"].includes(status);
    expect(text).toContain(counts ? "The payment counts" : "It doesn’t count as paid");
  },
);

test.each([erasedEmail, null])(
  "the question before a refund names no payer and promises no mail where the address is %s",
  (email) => {
    const payment = {
      amount: 1_250,
      currency: "MYR",
      flags: [],
      payment_link_id: "6740f5c19e3c6f70b2d81a44",
      tokenization_id: null,
    };
    expect(refundedPayer({ ...payment, email })).toEqual({ paid: "", mail: "" });
    const known = refundedPayer({ ...payment, email: "ana@example.com" });
    expect(known).toEqual({
      paid: "ana@example.com paid MYR 12.50.",
      mail: "The payer gets an e-mail.",
    });
    const unsent = "This install has no mail server.";
    expect(refundedPayer({ ...payment, email: "ana@example.com" }, unsent).mail).toBe(unsent);
  },
);

test.each([
  [["late"], "6740f5c19e3c6f70b2d81a44", null, true],
  [["duplicate"], "6740f5c19e3c6f70b2d81a44", null, true],
  [["amount_mismatch"], "6740f5c19e3c6f70b2d81a44", null, false],
  [["late"], null, null, false],
  [["late"], "6740f5c19e3c6f70b2d81a44", "6740f5d49e3c6f70b2d81a45", false],
])(
  "before a refund with flags %j of link %s and method %s the mail depends on the link’s address: %s",
  (flags, payment_link_id, tokenization_id, depends) => {
    const payment = { email: "ana@example.com", amount: 1_250, currency: "MYR" };
    const { mail } = refundedPayer({ ...payment, flags, payment_link_id, tokenization_id });
    expect(mail.includes("unless the payment link was given another address since")).toBe(depends);
  },
);

const from = "2026-01-02T00:00:00.000000Z";

test.each([
  ["unknown", [], from, 0, "unknown"],
  ["unknown", [], from, -1, undefined],
  ["pending", [], null, 0, undefined],
  ["failed", ["resolved"], null, 0, undefined],
  ["unknown", ["amount_mismatch"], null, 0, "mismatch"],
  ["failed", ["amount_mismatch", "resolved"], null, 0, undefined],
  ["succeeded", ["amount_mismatch"], null, 0, undefined],
] as const)(
  "a payment that is %s with the flags %j and can be resolved from %s: %d ms after that its reason is %s",
  (status, flags, moment, ms, reason) => {
    const now = Date.parse(from) + ms;
    expect(resolvable({ status, flags: [...flags], resolvable_at: moment }, now)).toBe(reason);
  },
);

test.each([
  [from, 0, true, null],
  [from, -1, false, from],
  [null, 0, false, null],
] as const)(
  "what can be resolved from %s: %d ms after that it is offered (%s), or for later (%s)",
  (moment, ms, offered, later) => {
    const now = Date.parse(from) + ms;
    expect(hasStayedUnknown({ resolvable_at: moment }, now)).toBe(offered);
    expect(resolvableLater({ resolvable_at: moment }, now)).toBe(later);
  },
);

test.each([
  ["succeeded", "Ben Ng", "MYR 12.50 was refunded by Ben Ng. Nothing is left."],
  ["succeeded", undefined, "MYR 12.50 was refunded. Nothing is left."],
  ["pending", undefined, "MYR 12.50 is being refunded. Nothing is left."],
] as const)("after a %s refund by %s an open dialog says: %s", (status, by, says) => {
  const last = { status, amount: 1_250, currency: "MYR" };
  expect(nothingLeft({ status: "refunded" }, last, by)).toBe(says);
  expect(nothingLeft({ status: "disputed" }, last, by)).toContain("bank");
});

test("an outcome that staff resolved is not said to be a decline", () => {
  const resolved = { status: "failed", dispute_status: null, flags: ["resolved"] } as const;
  expect(meaningOf({ ...resolved, flags: [...resolved.flags] })).toContain("never gave");
});

test.each([[["amount_mismatch"]], [["amount_mismatch", "resolved"]]])(
  "a payment that took another amount (%j) is not said to have taken nothing",
  (flags) => {
    for (const status of ["unknown", "failed", "cancelled"] as const)
      expect(meaningOf({ status, dispute_status: null, flags })).toContain("Another amount");
    expect(meaningOf({ status: "succeeded", dispute_status: null, flags })).toContain("collected");
    expect(meaningOf({ status: "failed", dispute_status: null, flags: [] })).toContain("Nothing");
  },
);
