import { expect, test, vi } from "vitest";
import { getPaymentTimeline } from "@/lib/contract/operations";
import { PaymentWithPayer } from "@/lib/contract/payments";
import { Refund } from "@/lib/contract/refunds";
import { answered, drawn } from "@/tests/drawn";
import { RefundDialog } from "./refund-dialog";
import { recordLabel, refundDescriptions, wayOfRefund } from "./refund-ways";

vi.mock("next/navigation", async () => (await import("@/tests/drawn-at")).navigation);
vi.mock("@/components/ui/dialog", () => import("@/tests/drawn-dialog"));

const payment = PaymentWithPayer.parse(PaymentWithPayer.meta()?.examples?.[0]);
const refund = Refund.parse(Refund.meta()?.examples?.[0]);
const refunded = (at: string, name = "Ben Ng") => ({
  at,
  kind: "payment.refunded",
  title: "Payment refunded",
  actor: { kind: "person", name } as const,
  changes: [],
  event_id: null,
  payment_id: null,
  mail_id: null,
});

test.each([
  [12_050, [refunded(refund.updated_at)], ""],
  [0, [refunded(refund.updated_at)], "MYR 5.00 was refunded by Ben Ng. Nothing is left."],
  [0, [refunded("2026-11-20T13:40:00.000000Z")], "MYR 5.00 was refunded. Nothing is left."],
  // An older refund came to its end after this one.
  [
    0,
    [refunded("2026-11-20T13:50:00.000000Z", "Ana Costa"), refunded(refund.updated_at)],
    "MYR 5.00 was refunded. Nothing is left.",
  ],
])(
  "with %d left, an open dialog keeps what was typed and says who was first (case %#)",
  (left, entries, says) => {
    const html = drawn(
      <RefundDialog
        payment={payment}
        left={left}
        refunds={[refund]}
        name={payment.title}
        open
        onClose={() => undefined}
      />,
      [answered(getPaymentTimeline, { params: { payment_id: payment._id } }, entries)],
    );
    expect(/<p role="alert"[^>]*>([^<]*)</.exec(html)?.[1] ?? "").toBe(says);
    const buttons = [...html.matchAll(/>(Cancel|Close)<|<span>Refund ([^<]+)</g)].map(
      ([, name, amount]) => name ?? amount,
    );
    expect(buttons).toEqual(left > 0 ? ["Cancel", "MYR 120.50"] : ["Close"]);
    expect(html).toContain("For your team; the payer does not see it.");
  },
);

test.each([
  [payment.gateway, [refund], true],
  [payment.gateway, [], false],
  [payment.gateway, [{ ...refund, status: "failed" as const }], false],
  ["manual", [refund], false],
])(
  "a payment by %s can have a refund recorded that was made at the gateway, beside an earlier one (case %#)",
  (gateway, refunds, offered) => {
    const html = drawn(
      <RefundDialog
        payment={{ ...payment, gateway }}
        left={12_050}
        refunds={refunds}
        name={payment.title}
        open
        onClose={() => undefined}
      />,
      [],
    );
    expect(html.includes("It was refunded at the payment provider already")).toBe(offered);
    expect(html).not.toContain("I returned the money to the payer");
    expect(html).toMatch(/<span>Refund MYR 120.50</);
  },
);

test("money is returned by bank transfer only where the gateway said that it cannot refund", () => {
  const words = (unsupported: boolean, ticked: boolean) =>
    `${recordLabel(unsupported)} ${refundDescriptions[wayOfRefund(payment.gateway, unsupported, ticked)]}`;
  for (const ticked of [false, true]) {
    expect(words(true, ticked)).toMatch(
      /^I returned the money .*Unless the payer has the money already, .* by bank transfer\./,
    );
    expect(words(false, ticked)).not.toMatch(/return it first|I returned/);
  }
  expect(words(false, true)).toContain("shows already. It does not record a bank transfer.");
});
