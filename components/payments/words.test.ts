import { expect, test } from "vitest";
import { paymentStatuses } from "@/lib/contract/values";
import { hasReceipt as isServed } from "@/lib/domain/payments/receipt";
import type { PaymentRow } from "@/lib/domain/payments/rows";
import { hasReceipt } from "./words";

test.each(paymentStatuses)(
  "a receipt of a payment that is %s is offered where there is one",
  (status) => {
    const row = { status, succeededAt: "2026-11-20T13:41:05.902177Z" } as PaymentRow;
    expect(hasReceipt({ status })).toBe(isServed(row));
  },
);
